/**
 * Suspects: workflows that may have crashed a process. They are in the store, so that all daemons count together.
 *
 * 1. `blocked` and `exited` are certain: one occurrence is enough.
 * 2. A process that died silently during a step may have been killed from outside, so its workflow only gets a strike.
 *    `IN_A_ROW` strikes without a saved step in between, or `IN_ALL` in total, are not a coincidence: on a daemon under
 *    full load one kill in ten hits a step, and then of any workflow.
 * 3. A strike is deleted with its workflow, or after `KEPT_MS`; a quarantine is not.
 */

import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import { DAY_MS } from '../../vocabulary/units.ts';
import type { Evidence } from './marker.ts';

export interface Suspect {
  /** A workflow, or `version <hash>` of a graph. */
  id: string;
  /** Versions only: the user who put the version. */
  author?: string;
  /** Others: the hash of the graph whose code ran. Absent: it comes with nodewright. */
  version?: string;
  graph: string;
  cause: string;
  /** Since the last saved step. */
  strikes: number;
  total: number;
  /** When the workflow's last step before the last strike was saved; null: none was. */
  steppedAt: string | null;
  at: string;
  /** Why it is quarantined; null if it is not. */
  error: FlatError | null;
  quarantined: boolean;
}

export const suspectSpec: CollectionSpec = { name: 'suspects', indexes: {} };

export const IN_A_ROW = 3;
export const IN_ALL = 10;
const KEPT_MS = 7 * DAY_MS;
/** Maximum number of suspects read at a time. */
const MAX_SUSPECTS = 1_000;

/** Whether the last strike is so old that its strikes no longer count. */
export const isOld = ({ at }: Suspect, now: number): boolean => Date.parse(at) < now - KEPT_MS;

export class Suspects {
  readonly #stored: Collection<Suspect>;

  constructor(stored: Collection<Suspect>) {
    this.#stored = stored;
  }

  all(): Promise<Suspect[]> {
    return this.#stored.find({}, { limit: MAX_SUSPECTS });
  }

  /**
   * Counts a strike. @param steppedAt when the workflow's last step was saved
   * @returns the reason to quarantine it; undefined: it may continue
   */
  async strike(evidence: Evidence, steppedAt: string | null, now: number): Promise<string | undefined> {
    const before = await this.#stored.get(evidence.workflow);
    const goesOn = before !== undefined && before.steppedAt === steppedAt;
    const strikes = 1 + (goesOn ? before.strikes : 0);
    const total = 1 + (before?.total ?? 0);
    const { workflow: id, graph, cause } = evidence;
    await this.#put({
      id,
      graph,
      cause,
      strikes,
      total,
      steppedAt,
      at: new Date(now).toISOString(),
      error: before?.error ?? null,
      quarantined: before?.quarantined ?? false,
    });
    return verdict(evidence, strikes, total);
  }

  async quarantine(
    one: Pick<Suspect, 'id' | 'graph' | 'cause' | 'author' | 'version'>,
    error: FlatError,
    now: number,
  ): Promise<void> {
    const before = await this.#stored.get(one.id);
    await this.#put({
      ...one,
      strikes: before?.strikes ?? 0,
      total: before?.total ?? 0,
      steppedAt: before?.steppedAt ?? null,
      at: new Date(now).toISOString(),
      error,
      quarantined: true,
    });
  }

  async forget(id: string): Promise<void> {
    await this.#stored.remove({ id });
  }

  async quarantinedIds(): Promise<string[]> {
    return (await this.#stored.find({ quarantined: true }, { limit: MAX_SUSPECTS })).map(({ id }) => id);
  }

  async #put({ id, ...suspect }: Suspect): Promise<void> {
    if ((await this.#stored.update({ id }, { $set: suspect })) !== undefined) return;
    await this.#stored.insertMissing([{ id, ...suspect }]);
  }
}

function verdict({ fate, blockedMs, graph, cause }: Evidence, strikes: number, total: number): string | undefined {
  const code = `code of ${graph} (${cause})`;
  if (fate === 'blocked') return `${code} did not return for ${blockedMs} ms, and the daemon had to be killed`;
  if (fate === 'exited') return `${code} ended the daemon (process.exit)`;
  if (strikes >= IN_A_ROW) return `the daemon died ${strikes} times in a row while ${code} ran`;
  return total >= IN_ALL ? `the daemon died ${total} times while code of ${graph} ran` : undefined;
}
