/**
 * The queue jobs of activity chains: one queue that all processes share, and a **sticky queue** of each process, from
 * which only that process takes jobs. It has the rows of its own workflows in memory, and has run the effects of their
 * steps; another process would read and repeat all that, for twice the cost of a workflow.
 *
 * 1. The id of a chain ends with the process whose sticky queue has its job (`@<process>`), or has none: the shared queue.
 *    It is a part of the row, so every process finds the job.
 * 2. A process uses its sticky queue only while it has room for another activity; what is beyond that, all may take.
 * 3. A job that waits in a sticky queue for seconds is moved to the shared queue by the sweep. The sticky queue of a silent
 *    process is destroyed, and the sweep adds its chains to the shared queue.
 */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Consumer, NewJob, Queue, Queues } from '../../platform/queue/port.ts';
import { adder } from './runtime-queues.ts';

export interface ChainJob {
  workflow: string;
  chain: string;
}

type Handler = (job: ChainJob, signal: AbortSignal) => Promise<void>;
type Add = (job: NewJob<ChainJob>) => Promise<void>;

/** Maximum of jobs on their way from the sticky queue, as a multiple of the concurrency: most activities are short. */
const ARRIVING = 4;
/** ms after which a job that was added to the sticky queue, and has not arrived, no longer counts. */
const ARRIVING_MS = 5_000;

const SHARED = 'lanes';
const stickyOf = (process: string) => `sticky-${process}`;
const processOf = (chain: string): string | undefined => /@(.+)$/.exec(chain)?.[1];

export class ActivityQueue {
  readonly #queues: Queues;
  readonly #cluster: Pick<Cluster, 'id' | 'singleNode' | 'isHeard'>;
  readonly #shared: Queue<ChainJob>;
  readonly #addShared: Add;
  readonly #addSticky: Add;
  /** The jobs that were added to the sticky queue and have not arrived, oldest first; ms of the monotonic clock. */
  readonly #arriving = new Map<string, number>();
  #concurrency = 0;
  /** Jobs that this process has, from both queues, and from its sticky one. */
  #running = 0;
  #runningSticky = 0;
  #consumers: Consumer[] = [];

  constructor(queues: Queues, cluster: Pick<Cluster, 'id' | 'singleNode' | 'isHeard'>) {
    this.#queues = queues;
    this.#cluster = cluster;
    this.#shared = queues.queue(SHARED);
    this.#addShared = adder(this.#shared);
    this.#addSticky = cluster.singleNode ? this.#addShared : adder(this.#stickyQueue(cluster.id));
  }

  #stickyQueue(process: string): Queue<ChainJob> {
    return this.#queues.queue(stickyOf(process));
  }

  /** Returns this process if a new chain should stay here. */
  home(): string | undefined {
    const { singleNode, id } = this.#cluster;
    if (singleNode) return undefined;
    const since = performance.now() - ARRIVING_MS;
    for (const [chain, at] of this.#arriving) {
      if (at > since) break;
      this.#arriving.delete(chain);
    }
    const isFull = this.#running >= this.#concurrency || this.#arriving.size >= ARRIVING * this.#concurrency;
    return isFull ? undefined : id;
  }

  async add(job: ChainJob): Promise<void> {
    const process = processOf(job.chain);
    if (process === undefined) return this.#addShared({ id: job.chain, data: job });
    if (process !== this.#cluster.id) return this.addAgain(job);
    this.#arriving.set(job.chain, performance.now());
    return this.#addSticky({ id: job.chain, data: job });
  }

  /** Adds a job that should have run by now, for all processes, unless a living one has it. */
  async addAgain(job: ChainJob): Promise<void> {
    const { chain } = job;
    const process = processOf(chain);
    if (process !== undefined && (await this.#cluster.isHeard(process))) {
      const sticky = this.#stickyQueue(process);
      if (!(await sticky.remove(chain)) && (await sticky.has(chain))) return;
    }
    await this.#addShared({ id: chain, data: job });
  }

  /** Returns the number of jobs that wait for a worker: of all processes, and of this one. */
  async waitingCount(): Promise<number> {
    const { singleNode, id } = this.#cluster;
    return (await this.#shared.waitingCount()) + (singleNode ? 0 : await this.#stickyQueue(id).waitingCount());
  }

  /** @returns true if the job was waiting, and no process gets it */
  async remove(chain: string): Promise<boolean> {
    const process = processOf(chain);
    if (process !== undefined && (await this.#stickyQueue(process).remove(chain))) return true;
    return this.#shared.remove(chain);
  }

  /** @param concurrency maximum of jobs in this process */
  consume(handler: Handler, concurrency: number): void {
    this.#concurrency = concurrency;
    const shared = this.#shared.consume((job, signal) => this.#run(handler, job, signal), concurrency);
    this.#consumers = [shared];
    if (this.#cluster.singleNode) return;
    const limit = () => shared.limit(Math.max(1, concurrency - this.#runningSticky));
    const runSticky: Handler = async (job, signal) => {
      this.#arriving.delete(job.chain);
      this.#runningSticky += 1;
      limit();
      await this.#run(handler, job, signal).finally(() => {
        this.#runningSticky -= 1;
        limit();
      });
    };
    this.#consumers.push(this.#stickyQueue(this.#cluster.id).consume(runSticky, concurrency));
  }

  async #run(handler: Handler, job: ChainJob, signal: AbortSignal): Promise<void> {
    this.#running += 1;
    try {
      await handler(job, signal);
    } finally {
      this.#running -= 1;
    }
  }

  /** Gives the jobs of a dead process to all others. */
  async release(process: string): Promise<void> {
    await this.#shared.release(process);
    await this.#queues.destroy(stickyOf(process));
  }

  /** Takes no more jobs, and resolves when the running ones have ended. The sweep of another process adds the others. */
  async close(): Promise<void> {
    this.#concurrency = 0;
    await Promise.all(this.#consumers.map((consumer) => consumer.close()));
    if (this.#consumers.length > 1) await this.#queues.destroy(stickyOf(this.#cluster.id)).catch(() => {});
  }
}
