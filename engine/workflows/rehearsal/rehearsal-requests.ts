/**
 * Rehearsals of a daemon: rollouts in memory, by the earlier runs of its site, whose reports are kept beside the real rollouts.
 *
 * 1. A rehearsal is stored when it is over: one that a process dies during was not answered, and leaves nothing.
 * 2. One at a time in a process, for a bounded time. The newest ones are kept.
 */
import { randomUUID } from 'node:crypto';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { RehearsalRecord, RehearsalRequest, Rehearsals } from '../../api-port/rehearsals.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { countText } from '../../vocabulary/count-texts.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { ENOUGH_RUNS } from '../diagnosis/durations.ts';
import { rehearse } from './rehearse.ts';
import type { RehearsedSite } from './rehearsed-site.ts';

export const rehearsalSpec: CollectionSpec = {
  name: 'rehearsals',
  indexes: { name: 'text', graph: 'text', createdBy: 'text', createdAt: 'text', updatedAt: 'text' },
  scanned: { seed: 'number' },
};

const KEPT = 200;
/** ms */
const LONGEST = 15_000;

export type AskSite = (request: RehearsalRequest) => Promise<RehearsedSite>;

export class RehearsalRequests implements Rehearsals {
  readonly #stored: Collection<RehearsalRecord>;
  readonly #ask: AskSite;
  readonly #closing = new AbortController();
  #isBusy = false;

  constructor(stored: Collection<RehearsalRecord>, ask: AskSite) {
    this.#stored = stored;
    this.#ask = ask;
  }

  async create(request: RehearsalRequest): Promise<RehearsalRecord> {
    if (this.#isBusy)
      throw new NodewrightError('TOO_MANY_REQUESTS', 'a rehearsal is under way; try again when it ends');
    this.#isBusy = true;
    try {
      const record = await this.#rehearse(request);
      await this.#stored.insert(record);
      await this.#removeOldest();
      return record;
    } finally {
      this.#isBusy = false;
    }
  }

  get(id: string): Promise<RehearsalRecord | undefined> {
    return this.#stored.get(id);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<RehearsalRecord>> {
    const items = await this.#stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items, total: await this.#stored.count(filter) };
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#stored.remove({ id })) > 0;
  }

  /** Ends the one that is under way. */
  close(): void {
    this.#closing.abort(new NodewrightError('UNAVAILABLE', 'the daemon is stopping'));
  }

  async #rehearse(request: RehearsalRequest): Promise<RehearsalRecord> {
    const { plan, targets, ends, window } = await this.#ask(request);
    const { name, graph, definitionHash, seed, gates, limits, order, rejections } = plan;
    if (ends.length < ENOUGH_RUNS)
      throw new NodewrightError(
        'CONFLICT',
        `${graph} has ended ${countText(ends.length, 'time')} here; expected ${ENOUGH_RUNS}. Without them, rehearse on a backup, with the durations of models: nw rollout create ... --print > rollout.json; nw backup site.tar.gz; nw rehearse rollout.json --from site.tar.gz`,
      );
    const at = now();
    const report = await rehearse(
      { plan, targets, rejections, samples: ends, basis: 'measured', begin: at, ...(window && { window }) },
      { withinMs: LONGEST, signal: this.#closing.signal },
    );
    const time = new Date(at).toISOString();
    return {
      id: randomUUID(),
      name,
      graph,
      definitionHash,
      seed,
      gates,
      limits,
      order,
      phases: plan.phases.map(({ index, size, advance, targets: number }) => ({
        index,
        size,
        advance,
        targets: number,
      })),
      window: typeof request.window === 'string' ? request.window : null,
      report,
      createdBy: request.operator ?? null,
      createdAt: time,
      updatedAt: time,
    };
  }

  async #removeOldest(): Promise<void> {
    const old = await this.#stored.pick([], {}, { sort: { createdAt: -1 }, skip: KEPT });
    if (old.length > 0) await this.#stored.remove({ id: { $in: old.map(({ id }) => id) } });
  }
}
