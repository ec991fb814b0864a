/**
 * A backend of BullMQ in this process's memory. The jobs belong to the `MemoryConnection`, which all backends of a
 * process share; a backend belongs to one `Queue` or `Worker`, and holds the locks of that worker.
 *
 * 1. Nothing survives the process: the jobs are re-created from rows. Nothing of a finished job is kept.
 * 2. Locks do not expire while their worker is open. The jobs of a worker that was closed by force return to the queue
 *    at the next check for stalled jobs of another worker.
 * 3. After `close`, each operation rejects like one on a closed connection.
 * 4. However many jobs there are, workers let the event loop turn every 10 ms (`platform/lib/pause.ts`); an idle worker gets a
 *    job in a later turn than the one that adds it, so that its handler does not run before the caller of `add`.
 */
import {
  type BackendFactory,
  ConnectionClosedError,
  type IQueueBackend,
  type Job,
  type JobJson,
  type JobsOptions,
  type JobType,
  type KeysMap,
  type QueueBaseOptions,
  type RepeatableOptions,
  type WorkerOptions,
} from 'bullmq';
import { pause } from '../../lib/pause.ts';
import { NEVER } from './blocked-workers.ts';
import { MemoryQueue, type Taken } from './memory-queue.ts';
import { RefusingBackend, unsupportedOperation } from './refusing-backend.ts';
import { jsonOf, type Place } from './stored-job.ts';

export class MemoryConnection {
  readonly #queues = new Map<string, MemoryQueue>();

  queue(name: string): MemoryQueue {
    const queue = this.#queues.get(name) ?? new MemoryQueue();
    this.#queues.set(name, queue);
    return queue;
  }
}

/** The options of a worker, which are those of a queue and more. */
type Options = QueueBaseOptions<MemoryConnection> & Partial<Omit<WorkerOptions<MemoryConnection>, 'connection'>>;

/** A job that has ended. */
type Ended = Pick<Job, 'id'>;

const places: Partial<Record<string, Place>> = {
  waiting: 'waiting',
  wait: 'waiting',
  delayed: 'delayed',
  active: 'active',
};

/** States that no job has here: none is kept, prioritized or a parent. */
const EMPTY = ['completed', 'failed', 'prioritized', 'waiting-children', 'paused', 'repeat'];

export class MemoryBackend extends RefusingBackend implements IQueueBackend {
  readonly qualifiedName: string;
  readonly keys: KeysMap = {};
  readonly minimumBlockTimeout = 0.001;
  /** s. As on Redis; it bounds the delay until a worker notices that the clock was set. */
  readonly maximumBlockTimeout = 10;
  closing: Promise<void> | undefined;
  readonly #state: MemoryQueue;
  readonly #opts: Options;
  #interrupted = false;

  constructor(name: string, opts: Options) {
    super();
    if (opts.metrics !== undefined) throw unsupportedOperation('a worker with the option metrics');
    this.qualifiedName = `${opts.prefix ?? 'bull'}:${name}`;
    this.#state = opts.connection.queue(this.qualifiedName);
    this.#opts = opts;
  }

  get #queue(): MemoryQueue {
    if (this.closing !== undefined) throw new ConnectionClosedError();
    return this.#state;
  }

  async waitUntilReady(): Promise<void> {}

  async setName(): Promise<void> {}

  async close(): Promise<void> {
    this.closing ??= Promise.resolve();
    this.#state.blocked.interrupt(this);
  }

  disconnect(): Promise<void> {
    return this.close();
  }

  forQueue(): never {
    throw unsupportedOperation('forQueue');
  }

  parseNodeKey(): never {
    throw unsupportedOperation('parseNodeKey');
  }

  toKey(type: string): string {
    return `${this.qualifiedName}:${type}`;
  }

  clientName(suffix = ''): string {
    return `${this.qualifiedName}${suffix}`;
  }

  async addJob(job: JobJson, jobId: string): Promise<string> {
    const [id] = this.#queue.add([{ job, jobId }]);
    return id as string;
  }

  async addJobs(entries: { job: JobJson; jobId: string }[]): Promise<string[]> {
    return this.#queue.add(entries);
  }

  async remove(jobId: string): Promise<number> {
    return this.#queue.remove(jobId) ? 1 : 0;
  }

  async obliterate({ force }: { force: boolean }): Promise<number> {
    this.#queue.obliterate(force);
    return 0;
  }

  // Workers

  async moveToActive(token: string, name?: string): Promise<Taken> {
    await pause();
    return this.#take(token, name);
  }

  #take(token: string, name: string | undefined): Taken {
    if (this.#interrupted) return [undefined, undefined, 0, 0];
    return this.#queue.take({ worker: this, token, name, limiter: this.#opts.limiter });
  }

  async moveToCompleted(job: Ended, _result: unknown, _keep: unknown, token: string, fetchNext: boolean) {
    return this.#finish(job, token, fetchNext);
  }

  async moveToFailed(job: Ended, _reason: string, _keep: unknown, token: string, fetchNext: boolean) {
    return this.#finish(job, token, fetchNext);
  }

  /** The end of a job and the begin of the next are one change. */
  async #finish({ id }: Ended, token: string, fetchNext: boolean) {
    await pause();
    this.#queue.finish(id as string, token);
    return { finishedOn: Date.now(), result: fetchNext ? this.#take(token, this.#opts.name) : [] };
  }

  async moveJobFromActiveToWait(jobId: string, token = '0'): Promise<number> {
    this.#queue.giveBack(jobId, token);
    return this.#queue.limit.left();
  }

  async moveStalledJobsToWait(): Promise<string[]> {
    return this.#queue.recoverStalled(this.#opts.maxStalledCount ?? 1);
  }

  async extendLock(jobId: string, token: string): Promise<number> {
    return this.#queue.isHolding(jobId, token) ? 1 : 0;
  }

  async extendLocks(jobIds: string[], tokens: string[]): Promise<string[]> {
    return jobIds.filter((id, index) => !this.#queue.isHolding(id, tokens[index] as string));
  }

  async waitForJob(blockTimeout: number) {
    if (this.#interrupted) return NEVER;
    if (this.#queue.mayTake()) return { member: '0', score: 0 };
    return this.#queue.blocked.wait(this, blockTimeout * 1_000);
  }

  async disconnectBlocking(): Promise<void> {
    this.#interrupted = true;
    this.#state.blocked.interrupt(this);
  }

  async reconnectBlocking(): Promise<void> {
    this.#interrupted = false;
  }

  // Pause and limits

  async pause(pause: boolean): Promise<void> {
    if (pause) this.#queue.meta.set('paused', '1');
    else this.#queue.meta.delete('paused');
    this.#queue.wake();
  }

  async isMaxed(): Promise<boolean> {
    return this.#queue.isMaxed();
  }

  async setRateLimit(expireTimeMs: number): Promise<void> {
    this.#queue.limit.set(Number.MAX_SAFE_INTEGER, expireTimeMs);
  }

  async removeRateLimitKey(): Promise<number> {
    return this.#queue.limit.clear() ? 1 : 0;
  }

  /** @returns -2, as Redis does, if no limit is set and none is asked about */
  async getRateLimitTtl(maxJobs?: number): Promise<number> {
    const { limit, meta } = this.#queue;
    const max = maxJobs || meta.get('max');
    return max === undefined ? limit.left() || -2 : limit.remaining(Number(max));
  }

  // Job schedulers

  /** @param at time of the next iteration of a pattern (ms since the epoch) @param data JSON */
  async addJobScheduler(
    id: string,
    at: number,
    data: string,
    templateOpts: JobsOptions,
    repeat: RepeatableOptions,
    jobOpts: JobsOptions,
  ): Promise<[string, number]> {
    return this.#queue.schedulers.upsert(id, at, data, templateOpts, repeat, jobOpts);
  }

  async updateJobSchedulerNextMillis(id: string, at: number, _data: string, opts: JobsOptions, producer?: string) {
    return this.#queue.schedulers.advance(id, at, opts, producer);
  }

  async removeJobScheduler(id: string): Promise<number> {
    return this.#queue.schedulers.remove(id) ? 0 : 1;
  }

  async getJobScheduler(id: string): Promise<[string[] | null, string | null]> {
    const next = this.#queue.schedulers.nextOf(id);
    return next === undefined ? [null, null] : [Object.entries(this.#queue.schedulers.fields(id)).flat(), String(next)];
  }

  async isJobScheduler(id: string): Promise<boolean> {
    return this.#queue.schedulers.has(id);
  }

  async getJobSchedulerData(id: string): Promise<Record<string, string>> {
    return this.#queue.schedulers.fields(id);
  }

  async getJobSchedulersRange(start: number, end: number, asc: boolean): Promise<string[]> {
    const all = this.#queue.schedulers.byNext();
    return range(asc ? all : all.reverse(), start, end).flatMap(([id, next]) => [id, String(next)]);
  }

  async getJobSchedulersCount(): Promise<number> {
    return this.#queue.schedulers.size;
  }

  // State of jobs

  async getState(jobId: string) {
    return this.#queue.get(jobId)?.place ?? 'unknown';
  }

  async isJobInState(state: string, jobId: string): Promise<boolean> {
    const place = placeOf(state);
    return place !== undefined && this.#queue.get(jobId)?.place === place;
  }

  async getJobData(jobId: string): Promise<JobJson | undefined> {
    const job = this.#queue.get(jobId);
    // BullMQ's type requires what only a finished job has.
    return job && ({ ...jsonOf(job) } as JobJson);
  }

  async getCounts(types: JobType[], delayedTimestamp?: number): Promise<number[]> {
    return types.map((type) => {
      const place = placeOf(type);
      if (place === undefined) return 0;
      if (place === 'delayed' && delayedTimestamp !== undefined) return this.#queue.dueBefore(delayedTimestamp);
      return this.#queue.count(place);
    });
  }

  /** Returns ids. BullMQ reverses those of waiting and active jobs if they ascend, because Redis lists them backward. */
  async getRanges(types: JobType[], start = 0, end = 1, asc = false): Promise<[string][]> {
    const ranges = types.map((type) => {
      const place = placeOf(type);
      if (place === undefined) return [];
      const ids = this.#queue.ids(place);
      const page = range(asc ? ids : ids.reverse(), start, end);
      return asc && place !== 'delayed' ? page.reverse() : page;
    });
    // BullMQ declares a list of ids as a tuple of one.
    return ranges as [string][];
  }

  // Metadata of the queue

  async setQueueMeta(values: Record<string, string | number>): Promise<number> {
    const { meta } = this.#queue;
    const before = meta.size;
    for (const [field, value] of Object.entries(values)) meta.set(field, String(value));
    this.#queue.wake();
    return meta.size - before;
  }

  async getQueueMetaField(field: string): Promise<string | null> {
    return this.#queue.meta.get(field) ?? null;
  }

  async getQueueMetaFields(fields: string[]): Promise<(string | null)[]> {
    return fields.map((field) => this.#queue.meta.get(field) ?? null);
  }

  async getQueueMeta(): Promise<Record<string, string>> {
    return Object.fromEntries(this.#queue.meta);
  }

  async removeQueueMetaFields(fields: string[]): Promise<number> {
    const removed = fields.filter((field) => this.#queue.meta.delete(field)).length;
    this.#queue.wake();
    return removed;
  }

  async hasQueueMetaField(field: string): Promise<boolean> {
    return this.#queue.meta.has(field);
  }
}

function placeOf(state: string): Place | undefined {
  const place = places[state];
  if (place === undefined && !EMPTY.includes(state)) throw new Error(`Unknown job state: ${state}`);
  return place;
}

/** Returns the elements from `start` to `end`, both included; a negative index counts from the end, as in Redis. */
function range<T>(all: readonly T[], start: number, end: number): T[] {
  const from = start < 0 ? Math.max(0, all.length + start) : start;
  return all.slice(from, (end < 0 ? all.length + end : end) + 1);
}

export const createMemoryBackend: BackendFactory<MemoryBackend, MemoryConnection> = (name, opts) =>
  new MemoryBackend(name, opts);
