/**
 * Runs the pollers: each has a repeating job, and the process that takes it polls the machine.
 *
 * 1. The database says which pollers exist; the queue only schedules them: the lease holder
 *    creates missing jobs and deletes unneeded ones.
 * 2. Pollers with the same interval run at different times: each has its own offset in the interval.
 */
import { createHash } from 'node:crypto';
import type { Cluster } from '../cluster/cluster.ts';
import type { Reconciler, Round } from '../lib/reconciler.ts';
import { type ReportUnsupported, UnsupportedPatterns } from '../patterns/unsupported.ts';
import type { Consumer, Queue } from '../queue/port.ts';
import { pages } from '../store/pages.ts';
import { type PollPort, poll } from './poll.ts';
import type { StoredPoller } from './stored-poller.ts';

export interface PollerWorkPort extends Omit<PollPort, 'unsupported'> {
  queue: Queue<PollerJob>;
  cluster: Pick<Cluster, 'reconciler'>;
  /** Called once for each poller with patterns that are not supported. */
  unsupported: ReportUnsupported;
  failed(error: unknown): void;
}

export interface PollerJob {
  poller: string;
}

const EVERY_MS = 30_000;
/** Machines that one process polls concurrently: an unreachable one takes a while to time out. */
const AT_ONCE = 32;
/** Jobs created concurrently. */
const TOGETHER = 50;

export class PollerWork {
  readonly #port: PollerWorkPort;
  readonly #look: PollPort;
  readonly #closing = new AbortController();
  readonly #inHand = new Set<string>();
  #consumer: Consumer | undefined;
  readonly #reconciler: Reconciler;

  constructor(port: PollerWorkPort) {
    this.#port = port;
    this.#reconciler = port.cluster.reconciler({
      name: 'pollers',
      everyMs: EVERY_MS,
      pass: (round) => this.#schedule(round),
      failed: port.failed,
    });
    this.#look = { ...port, unsupported: new UnsupportedPatterns(port.unsupported) };
  }

  get queue(): Queue<PollerJob> {
    return this.#port.queue;
  }

  /** @param works whether this process polls machines itself */
  start(works: boolean): void {
    if (works) this.#consumer = this.#port.queue.consume((job, signal) => this.#take(job, signal), AT_ONCE);
    this.#reconciler.start();
  }

  /** Creates or replaces the poller's job, which starts at the poller's offset. */
  async schedule({ id, pollInterval }: StoredPoller): Promise<void> {
    await this.#port.queue.repeat(id, { poller: id }, pollInterval, placeOf(id, pollInterval));
  }

  unschedule(id: string): Promise<void> {
    return this.#port.queue.unrepeat(id);
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
      if (!(await poll(this.#look, poller, ended.signal))) await this.unschedule(poller);
    } finally {
      for (const signal of [lost, this.#closing.signal]) signal.removeEventListener('abort', end);
      this.#inHand.delete(poller);
    }
  }

  async #schedule({ goesOn }: Round<never>): Promise<void> {
    const repeated = new Set(await this.#port.queue.repeated());
    const missing: StoredPoller[] = [];
    for await (const poller of pages(this.#port.stored, {})) if (!repeated.delete(poller.id)) missing.push(poller);
    for (const id of repeated) if (await goesOn()) await this.unschedule(id);
    for (let from = 0; from < missing.length && (await goesOn()); from += TOGETHER) {
      await Promise.all(missing.slice(from, from + TOGETHER).map((poller) => this.schedule(poller)));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#consumer?.close();
    await this.#reconciler.close();
  }
}

/** Returns the ms until the first poll: a fraction of the interval that is fixed per poller. */
function placeOf(id: string, interval: number): number {
  return Math.floor((createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32) * interval);
}
