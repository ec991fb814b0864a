/**
 * Where activity chains run. A chain stays in the process that took its step, without a queue job, while that process has
 * room: it has the row in memory, and has run the effects of its steps. Another process would read and repeat all that,
 * for twice the cost of a workflow. All other chains are jobs of one queue that all processes share.
 *
 * 1. The id of a chain ends with its process (`@<process>`), or has none: it is a job. It is a part of the row, so every
 *    process knows where to ask.
 * 2. The heartbeat of the process is the lock of its chains. Only a new chain starts without a job: one that is added again
 *    becomes a job, unless it is here, because another process may have it by now. A job exists once.
 * 3. A process takes chains only while it has room for more activities. One that had to wait for seconds becomes a job,
 *    before other processes find this one silent.
 * 4. The sweep asks the process of a chain to add it again (channel `chains`). It adds the chains of a silent process itself.
 *
 * If the process dies
 * - before it starts the chain, or in one of its activities: the row names a process that becomes silent, and the sweep of
 *   another one adds the chain as a job;
 * - in `close`, before a waiting chain is a job: the same.
 */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Channel, Consumer, NewJob, Queue, Queues } from '../../platform/queue/port.ts';
import { adder } from './runtime-queues.ts';

export interface ChainJob {
  workflow: string;
  chain: string;
}

/** @param isNew this process has just saved the step that began the chain */
type Handler = (job: ChainJob, signal: AbortSignal, isNew: boolean) => Promise<void>;

interface WaitingChain {
  job: ChainJob;
  /** ms of the monotonic clock. */
  lateAt: number;
}

/** Maximum of chains that wait here for room, as a multiple of the concurrency: most activities are short. */
const WAITING = 4;
/** Shorter than the time after which others find a process silent. */
const WAIT_LIMIT_MS = 1_500;

const SHARED = 'lanes';
const processOf = (chain: string): string | undefined => /@(.+)$/.exec(chain)?.[1];
const never = new AbortController().signal;

export class ActivityQueue {
  readonly #cluster: Pick<Cluster, 'id' | 'singleNode' | 'isHeard'>;
  readonly #shared: Queue<ChainJob>;
  readonly #addShared: (job: NewJob<ChainJob>) => Promise<void>;
  readonly #requests: Channel<ChainJob>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, WaitingChain>();
  /** Shared jobs that this process has. */
  #jobs = 0;
  #concurrency = 0;
  #handler: Handler | undefined;
  #consumer: Consumer | undefined;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(queues: Queues, cluster: Pick<Cluster, 'id' | 'singleNode' | 'isHeard'>) {
    this.#cluster = cluster;
    this.#shared = queues.queue(SHARED);
    this.#addShared = adder(this.#shared);
    this.#requests = queues.channel('chains');
  }

  /** Returns this process if a new chain should stay here. */
  home(): string | undefined {
    return this.#cluster.singleNode || !this.#accepts() ? undefined : this.#cluster.id;
  }

  #hasRoom(): boolean {
    return this.#running.size + this.#jobs < this.#concurrency;
  }

  #accepts(): boolean {
    return this.#handler !== undefined && (this.#hasRoom() || this.#waiting.size < WAITING * this.#concurrency);
  }

  /** Adds a chain of a step that this process has just saved. */
  async add(job: ChainJob): Promise<void> {
    const { singleNode, id } = this.#cluster;
    const isOwn = singleNode || processOf(job.chain) === id;
    if (this.#running.has(job.chain) || this.#waiting.has(job.chain)) return;
    if (!isOwn || !this.#accepts()) return this.#addShared({ id: job.chain, data: job });
    if (this.#hasRoom()) return this.#start(job, true);
    this.#waiting.set(job.chain, { job, lateAt: performance.now() + WAIT_LIMIT_MS });
    setTimeout(() => this.#startWaiting(), WAIT_LIMIT_MS + 1).unref();
  }

  #start(job: ChainJob, isNew: boolean): void {
    const handler = this.#handler as Handler;
    const run = handler(job, never, isNew)
      .catch(() => {})
      .then(() => {
        this.#running.delete(job.chain);
        this.#limitShared();
        this.#startWaiting();
      });
    this.#running.set(job.chain, run);
    this.#limitShared();
  }

  #limitShared(): void {
    this.#consumer?.limit(Math.max(1, this.#concurrency - this.#running.size));
  }

  #startWaiting(): void {
    for (const [chain, { job, lateAt }] of this.#waiting) {
      const isLate = performance.now() >= lateAt;
      if (!isLate && !this.#hasRoom()) return;
      this.#waiting.delete(chain);
      if (isLate) void this.#addShared({ id: chain, data: job }).catch(() => {});
      else this.#start(job, false);
    }
  }

  /** Adds a chain that should have run by now, for all processes, unless a living one has it. */
  async addAgain(job: ChainJob): Promise<void> {
    const { chain } = job;
    const process = processOf(chain);
    const isOther = process !== undefined && process !== this.#cluster.id;
    if (isOther && (await this.#cluster.isHeard(process))) return this.#requests.publish(job);
    if (this.#running.has(chain)) return;
    this.#waiting.delete(chain);
    await this.#addShared({ id: chain, data: job });
  }

  /** Returns the number of chains that wait for a worker: of all processes, and of this one. */
  async waitingCount(): Promise<number> {
    return (await this.#shared.waitingCount()) + this.#waiting.size;
  }

  /** @returns true if the chain was waiting, and no process gets it */
  async remove(chain: string): Promise<boolean> {
    return this.#waiting.delete(chain) || this.#shared.remove(chain);
  }

  /** @param concurrency maximum of activities in this process */
  async consume(handler: Handler, concurrency: number): Promise<void> {
    this.#concurrency = concurrency;
    this.#handler = handler;
    this.#unsubscribe = await this.#requests.subscribe((job) => {
      if (processOf(job.chain) === this.#cluster.id) void this.addAgain(job).catch(() => {});
    });
    this.#consumer = this.#shared.consume(async (job, signal) => {
      this.#jobs += 1;
      await handler(job, signal, false).finally(() => {
        this.#jobs -= 1;
        this.#startWaiting();
      });
    }, concurrency);
  }

  /** Gives the jobs of a dead process to all others. */
  release(process: string): Promise<void> {
    return this.#shared.release(process);
  }

  /**
   * Takes no more chains, makes those that wait jobs, and resolves when the running ones have ended. Its consumer may still take one of
   * these jobs, if it was on its way when the close began.
   */
  async close(): Promise<void> {
    this.#concurrency = 0;
    this.#handler = undefined;
    const closed = this.#consumer?.close();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    // A failure leaves them to the sweep of another process.
    await Promise.all(waiting.map(({ job }) => this.#addShared({ id: job.chain, data: job }))).catch(() => {});
    await Promise.all([closed, ...this.#running.values()]);
    await this.#unsubscribe?.();
  }
}
