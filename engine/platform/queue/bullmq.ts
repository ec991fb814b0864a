/**
 * Implements the queue port with BullMQ on any backend. It owns the BullMQ objects (workers: `consumer.ts`); the
 * adapter that opens the connection passes it in and closes it (`embedded.ts`, `redis.ts`).
 *
 * 1. Adding an existing id has no effect; the id of a finished job may be added again.
 * 2. Errors of BullMQ that no caller awaits are logged and never thrown uncaught.
 */
import { Queue as BullQueue, type IQueueBackend, type Job } from 'bullmq';
import type { Backing } from './backing.ts';
import type { ChannelLog } from './channel.ts';
import { BullBackedConsumer, type Handler } from './consumer.ts';
import type { Consumer, NewJob, Queue, Queues } from './port.ts';

/** Kept events of BullMQ: none are read, and 0 would mean unlimited. */
const KEPT_EVENTS = 1;

/** Schedulers read together. */
const SCHEDULERS_PER_PAGE = 500;

const ONCE = { removeOnComplete: true, removeOnFail: true } as const;

/** @param log receives errors that no caller awaits */
export function createQueues<B extends IQueueBackend, C>(backing: Backing<B, C>, log: ChannelLog): Queues {
  const open = new Map<string, BullBackedQueue<unknown, B, C>>();
  const queueOf = (name: string) => {
    const queue = open.get(name) ?? new BullBackedQueue<unknown, B, C>(name, backing, log);
    open.set(name, queue);
    return queue;
  };
  return {
    queue: <Data>(name: string) => queueOf(name) as unknown as Queue<Data>,
    async destroy(name) {
      const queue = queueOf(name);
      await queue.destroy();
      open.delete(name);
      await queue.close();
    },
    channel: (name) => backing.channels.channel(name),
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
  readonly #log: ChannelLog;
  readonly #queue: BullQueue<Data, void, string, Data, void, string, B, C>;

  constructor(name: string, backing: Backing<B, C>, log: ChannelLog) {
    this.#name = name;
    this.#backing = backing;
    this.#log = log;
    const { connection, prefix, factory, quiet } = backing;
    this.#queue = new BullQueue<Data, void, string, Data, void, string, B, C>(
      name,
      {
        connection,
        ...(prefix !== undefined && { prefix }),
        streams: { events: { maxLen: KEPT_EVENTS } },
        // Only workers depend on the version. A check that fails while the server is down would be cached forever.
        skipVersionCheck: true,
      },
      factory,
    );
    this.#queue.on('error', (error) => quiet?.(error) || log(`queue ${name}`, error));
  }

  #within<T>(work: Promise<T>): Promise<T> {
    return this.#backing.within?.(work) ?? work;
  }

  async add(jobs: readonly NewJob<Data>[]): Promise<void> {
    const bulk = jobs.map(({ id, data, delayMs }) => {
      const delay = delayMs === undefined ? {} : { delay: Math.max(0, Math.round(delayMs)) };
      return { name: this.#name, data, opts: { jobId: this.#jobId(id), ...ONCE, ...delay } };
    });
    if (bulk.length >= this.#backing.bulkFrom) await this.#within(this.#queue.addBulk(bulk));
    else await this.#within(Promise.all(bulk.map(({ name, data, opts }) => this.#queue.add(name, data, opts))));
  }

  async remove(id: string): Promise<boolean> {
    const removed = this.#backing.remove?.(this.#name, this.#jobId(id));
    if (removed !== undefined) return this.#within(removed);
    return (await this.#within(this.#queue.remove(this.#jobId(id)))) === 1;
  }

  async waitingCount(): Promise<number> {
    return this.#within(this.#queue.getJobCountByTypes('waiting', 'prioritized'));
  }

  async has(id: string): Promise<boolean> {
    return (await this.#within(this.#queue.getJob(this.#jobId(id)))) !== undefined;
  }

  async repeat(id: string, data: Data, everyMs: number, firstMs: number): Promise<void> {
    const times = { every: Math.round(everyMs), startDate: Date.now() + Math.round(firstMs) };
    await this.#within(this.#queue.upsertJobScheduler(id, times, { name: this.#name, data, opts: ONCE }));
  }

  async unrepeat(id: string): Promise<void> {
    await this.#within(this.#queue.removeJobScheduler(id));
  }

  async repeatedJobs(): Promise<string[]> {
    const all: string[] = [];
    for (let from = 0; ; from += SCHEDULERS_PER_PAGE) {
      const page = await this.#within(this.#queue.getJobSchedulers(from, from + SCHEDULERS_PER_PAGE - 1, true));
      all.push(...page.map(({ key }) => key));
      if (page.length < SCHEDULERS_PER_PAGE) return all;
    }
  }

  #jobId(id: string): string {
    return `${this.#backing.idPrefix ?? ''}${id}`;
  }

  consume(handler: Handler<Data>, concurrency: number): Consumer {
    return new BullBackedConsumer(this.#name, handler, concurrency, this.#backing, this.#log);
  }

  async release(process: string): Promise<void> {
    if (this.#backing.lockOf === undefined) return;
    const active = await this.#within(this.#queue.getActive());
    const held = active.filter(({ processedBy }) => processedBy === process);
    await Promise.all(held.map((job) => this.#within(this.#free(job))));
  }

  /** Uses the lock of the dead process, so that a job that another process has taken in the meantime stays there. */
  async #free(job: Job): Promise<void> {
    const lock = await this.#backing.lockOf?.(this.#name, job.id as string);
    if (lock === undefined) return;
    await job.moveToWait(lock).catch((error) => this.#log(`queue ${this.#name}: job ${job.id} is not released`, error));
  }

  async destroy(): Promise<void> {
    await this.#within(this.#queue.obliterate({ force: true }));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
