/**
 * Runs the pollers: each has a repeating job, and the process that takes it polls the machine.
 *
 * 1. The database says which pollers exist; the queue only schedules them: the lease holder
 *    creates missing jobs and deletes unneeded ones.
 * 2. Pollers with the same interval run at different times (`poller-schedule.ts`).
 */
import { setMaxListeners } from 'node:events';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Reconciler, Round } from '../../platform/lib/reconciler.ts';
import type { Consumer } from '../../platform/queue/port.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { Polls } from './poll.ts';
import type { PollerJob, PollerSchedule } from './poller-schedule.ts';
import type { StoredPoller } from './stored-poller.ts';

const RESTORE_INTERVAL_MS = 30_000;
/** Machines that one process polls concurrently: an unreachable one takes a while to time out. */
const CONCURRENT_POLLS = 32;
/** Jobs created concurrently. */
const JOBS_PER_GROUP = 50;

export class PollerWork {
  readonly #stored: Collection<StoredPoller>;
  readonly #jobs: PollerSchedule;
  readonly #polls: Polls;
  readonly #closing = new AbortController();
  readonly #inHand = new Set<string>();
  #consumer: Consumer | undefined;
  readonly #reconciler: Reconciler;

  constructor(
    stored: Collection<StoredPoller>,
    jobs: PollerSchedule,
    polls: Polls,
    cluster: Pick<Cluster, 'reconciler'>,
    failed: (error: unknown) => void,
  ) {
    this.#stored = stored;
    this.#jobs = jobs;
    this.#polls = polls;
    // Each running poll listens.
    setMaxListeners(0, this.#closing.signal);
    this.#reconciler = cluster.reconciler({
      name: 'pollers',
      everyMs: RESTORE_INTERVAL_MS,
      pass: (round) => this.#schedule(round),
      failed,
    });
  }

  /** @param works whether this process polls machines itself */
  start(works: boolean): void {
    if (works) this.#consumer = this.#jobs.queue.consume((job, signal) => this.#take(job, signal), CONCURRENT_POLLS);
    this.#reconciler.start();
  }

  /** Polls the machine unless the previous poll is still running. */
  async #take({ poller }: PollerJob, lost: AbortSignal): Promise<void> {
    if (this.#inHand.has(poller)) return;
    this.#inHand.add(poller);
    const ended = new AbortController();
    const end = () => ended.abort();
    for (const signal of [lost, this.#closing.signal]) signal.addEventListener('abort', end, { once: true });
    try {
      if (this.#closing.signal.aborted) return;
      if (!(await this.#polls.poll(poller, ended.signal))) await this.#jobs.unschedule(poller);
    } finally {
      for (const signal of [lost, this.#closing.signal]) signal.removeEventListener('abort', end);
      this.#inHand.delete(poller);
    }
  }

  async #schedule({ goesOn }: Round<never>): Promise<void> {
    const repeated = new Set(await this.#jobs.queue.repeatedJobs());
    const missing: StoredPoller[] = [];
    for await (const poller of pages(this.#stored, {})) if (!repeated.delete(poller.id)) missing.push(poller);
    for (const id of repeated) if (await goesOn()) await this.#jobs.unschedule(id);
    for (let from = 0; from < missing.length && (await goesOn()); from += JOBS_PER_GROUP) {
      await Promise.all(missing.slice(from, from + JOBS_PER_GROUP).map((poller) => this.#jobs.restore(poller)));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#consumer?.close();
    await this.#reconciler.close();
  }
}
