/**
 * Suspects: workflows that a process may have died of, in the store, so that all daemons count together.
 *
 * 1. Held or exited is certain: one time is enough.
 * 2. A process that died without a word while it took a step may have been killed from outside. So the workflow is only
 *    struck; `IN_A_ROW` strikes without a step saved between them, or `IN_ALL`, are no coincidence. One kill in ten meets a
 *    step on a daemon under full load, and then any of its workflows.
 * 3. What was struck is forgotten with its workflow, or after `KEPT_MS`; what is quarantined is not.
 */
import type { FlatError } from '../define/errors.ts';
import type { Collection, CollectionSpec } from '../store/port.ts';
import type { Evidence } from './marker.ts';

export interface Suspect {
  id: string;
  graph: string;
  cause: string;
  /** Since the last step that was saved. */
  strikes: number;
  total: number;
  /** When the workflow's last step was saved, as of the last strike; null: it had none. */
  steppedAt: string | null;
  at: string;
  /** Why it is quarantined; null: it is not. */
  error: FlatError | null;
  quarantined: boolean;
}

export const suspectSpec: CollectionSpec = { name: 'suspects', indexes: {} };

export const IN_A_ROW = 3;
export const IN_ALL = 10;
const KEPT_MS = 7 * 86_400_000;
/** At most; more workflows than this that killed a daemon are not worth being told apart. */
const LIMIT = 1_000;

/** Nothing was heard of it for so long that its strikes do not count any more. */
export const isOld = ({ at }: Suspect, now: number): boolean => Date.parse(at) < now - KEPT_MS;

export class Suspects {
  readonly #stored: Collection<Suspect>;

  constructor(stored: Collection<Suspect>) {
    this.#stored = stored;
  }

  all(): Promise<Suspect[]> {
    return this.#stored.find({}, { limit: LIMIT });
  }

  /**
   * Counts what happened. @param steppedAt when the workflow's last step was saved
   * @returns why it is to be quarantined; undefined: it may go on
   */
  async strike(evidence: Evidence, steppedAt: string | null, now: number): Promise<string | undefined> {
    const before = await this.#stored.get(evidence.workflow);
    const goesOn = before !== undefined && before.steppedAt === steppedAt;
    const strikes = 1 + (goesOn ? before.strikes : 0);
    const total = 1 + (before?.total ?? 0);
    const { workflow: id, graph, cause } = evidence;
    await this.#put({
      ...{ id, graph, cause, strikes, total, steppedAt, at: new Date(now).toISOString() },
      ...{ error: before?.error ?? null, quarantined: before?.quarantined ?? false },
    });
    return verdict(evidence, strikes, total);
  }

  async quarantine(one: Pick<Suspect, 'id' | 'graph' | 'cause'>, error: FlatError, now: number): Promise<void> {
    const before = await this.#stored.get(one.id);
    await this.#put({
      ...{ ...one, strikes: before?.strikes ?? 0, total: before?.total ?? 0 },
      ...{ steppedAt: before?.steppedAt ?? null, at: new Date(now).toISOString(), error, quarantined: true },
    });
  }

  async forget(id: string): Promise<void> {
    await this.#stored.remove({ id });
  }

  async quarantined(): Promise<string[]> {
    return (await this.#stored.find({ quarantined: true }, { limit: LIMIT })).map(({ id }) => id);
  }

  async #put({ id, ...suspect }: Suspect): Promise<void> {
    if ((await this.#stored.update({ id }, { $set: suspect })) !== undefined) return;
    await this.#stored.insertMissing([{ id, ...suspect }]);
  }
}

function verdict({ fate, heldMs, graph, cause }: Evidence, strikes: number, total: number): string | undefined {
  const code = `code of ${graph} (${cause})`;
  if (fate === 'held') return `${code} did not return for ${heldMs} ms, and the daemon had to be ended`;
  if (fate === 'exited') return `${code} ended the daemon (process.exit)`;
  if (strikes >= IN_A_ROW) return `the daemon died ${strikes} times in a row while ${code} ran`;
  return total >= IN_ALL ? `the daemon died ${total} times while code of ${graph} ran` : undefined;
}
