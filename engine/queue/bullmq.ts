/**
 * The queue port on BullMQ, whatever stands behind BullMQ. It owns the BullMQ objects; who opens the connection gives
 * it and closes it (`embedded.ts`).
 *
 * 1. A job is gone when its handler has ended, well or badly: rows in the store say what is still to be done.
 * 2. An error of BullMQ is logged and never thrown at nobody: its workers go on by themselves.
 * 3. A handler's signal fires when its lock is lost: another process may have its job by then.
 */
import { type BackendFactory, Queue as BullQueue, type IQueueBackend, Worker } from 'bullmq';
import type { Consumer, NewJob, Queue, Queues } from './port.ts';

/** A dead process's jobs are free after this and the next check; alive, it renews at half of it. */
const LOCK_MS = 5_000;

/** Half a lock: a lost job starts again within 8 s. Shorter would ask more often than it helps. */
const STALLED_INTERVAL_MS = 2_500;

/** BullMQ would fail a job that stalls twice. Its row decides how often it is tried, so here there is no limit. */
const MAX_STALLED = 2 ** 31 - 1;

/** s. New and due jobs wake a worker by themselves; this is for a wake-up that got lost with a connection. */
const DRAIN_DELAY_SEC = 5;

/** After an error of the connection. BullMQ's 15 s are longer than most restarts of a server. */
const RETRY_MS = 1_000;

/** Events of BullMQ that are kept: nobody reads them, and 0 would mean all. */
const KEPT_EVENTS = 1;

const ONCE = { removeOnComplete: true, removeOnFail: true } as const;

export type Log = (message: string, error: unknown) => void;

/** What stands behind BullMQ. */
export interface Backing<B extends IQueueBackend, C> {
  connection: C;
  factory: BackendFactory<B, C>;
  /** From how many jobs on BullMQ's bulk add is faster than one add for each. */
  bulkFrom: number;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** @param log told of errors that no caller waits for */
export function createQueues<B extends IQueueBackend, C>(backing: Backing<B, C>, log: Log): Queues {
  const open = new Map<string, BullBackedQueue<unknown, B, C>>();
  return {
    queue<Data>(name: string) {
      const queue = open.get(name) ?? new BullBackedQueue<unknown, B, C>(name, backing, log);
      open.set(name, queue);
      return queue as unknown as Queue<Data>;
    },
    ping: () => backing.ping(),
    async close() {
      await Promise.all([...open.values()].map((queue) => queue.close()));
      await backing.close();
    },
  };
}

class BullBackedQueue<Data, B extends IQueueBackend, C> implements Queue<Data> {
  readonly #name: string;
  readonly #backing: Backing<B, C>;
  readonly #log: Log;
  #queue: BullQueue<Data, void, string, Data, void, string, B, C>;

  constructor(name: string, backing: Backing<B, C>, log: Log) {
    this.#name = name;
    this.#backing = backing;
    this.#log = log;
    this.#queue = this.#open();
  }

  #open(): BullQueue<Data, void, string, Data, void, string, B, C> {
    const options = { connection: this.#backing.connection, streams: { events: { maxLen: KEPT_EVENTS } } };
    const queue = new BullQueue<Data, void, string, Data, void, string, B, C>(
      this.#name,
      options,
      this.#backing.factory,
    );
    queue.on('error', (error) => this.#log(`queue ${this.#name}`, error));
    return queue;
  }

  async add(jobs: readonly NewJob<Data>[]): Promise<void> {
    const bulk = jobs.map(({ id, data, delayMs }) => {
      const delay = delayMs === undefined ? {} : { delay: Math.max(0, Math.round(delayMs)) };
      return { name: this.#name, data, opts: { jobId: id, ...ONCE, ...delay } };
    });
    if (bulk.length >= this.#backing.bulkFrom) await this.#queue.addBulk(bulk);
    else await Promise.all(bulk.map(({ name, data, opts }) => this.#queue.add(name, data, opts)));
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#queue.remove(id)) === 1;
  }

  consume(handler: (data: Data, signal: AbortSignal) => Promise<void>, concurrency: number): Consumer {
    const name = this.#name;
    const log = this.#log;
    const worker = new Worker<Data, void, string, B, number, C>(
      name,
      // BullMQ hands out a signal only to a function with three parameters.
      async (job, _token, signal) => {
        try {
          await handler(job.data, signal ?? new AbortController().signal);
        } catch (error) {
          log(`queue ${name}: the handler of job ${job.id} failed`, error);
        }
      },
      {
        connection: this.#backing.connection,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_INTERVAL_MS,
        maxStalledCount: MAX_STALLED,
        drainDelay: DRAIN_DELAY_SEC,
        runRetryDelay: RETRY_MS,
      },
      this.#backing.factory,
    );
    worker.on('error', (error) => log(`queue ${name}`, error));
    worker.on('failed', (job, error) => log(`queue ${name}: job ${job?.id} failed`, error));
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id, 'the lock is lost');
    });
    return { close: () => worker.close() };
  }

  async clear(): Promise<void> {
    const cleared = this.#queue;
    await cleared.obliterate({ force: true });
    // Its settings went with the jobs; a new one writes them again.
    this.#queue = this.#open();
    await cleared.close();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
