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
import { NEVER, NOW } from './blocked-workers.ts';
import { MemoryQueue, type TakenJob } from './memory-queue.ts';
import { RejectingBackend, unsupportedOperation } from './rejecting-backend.ts';
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
type EndedJob = Pick<Job, 'id'>;

const places: Partial<Record<JobType, Place>> = {
  waiting: 'waiting',
  wait: 'waiting',
  delayed: 'delayed',
  active: 'active',
};

export class MemoryBackend extends RejectingBackend implements IQueueBackend {
  readonly qualifiedName: string;
  readonly keys: KeysMap = {};
  readonly minimumBlockTimeout = 0.001;
  /** s. As on Redis; it bounds the delay until a worker notices that the clock was set. */
  readonly maximumBlockTimeout = 10;
  closing: Promise<void> | undefined;
  readonly #state: MemoryQueue;
  #interrupted = false;

  constructor(name: string, opts: Options) {
    super();
    for (const name of ['limiter', 'metrics'] as const)
      if (opts[name] !== undefined) throw unsupportedOperation(`a worker with the option ${name}`);
    this.qualifiedName = `${opts.prefix ?? 'bull'}:${name}`;
    this.#state = opts.connection.queue(this.qualifiedName);
  }

  get #queue(): MemoryQueue {
    if (this.closing !== undefined) throw new ConnectionClosedError();
    return this.#state;
  }

  async waitUntilReady(): Promise<void> {}

  async close(): Promise<void> {
    this.closing ??= Promise.resolve();
    this.#state.blocked.interrupt(this);
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
    if (!force) throw unsupportedOperation('obliterate without force');
    this.#queue.obliterate();
    return 0;
  }

  /** BullMQ pauses a queue before it obliterates it. */
  async pause(pause: boolean): Promise<void> {
    this.#queue.pause(pause);
  }

  // Workers

  async moveToActive(token: string): Promise<TakenJob> {
    await pause();
    return this.#take(token);
  }

  #take(token: string): TakenJob {
    return this.#interrupted ? [undefined, undefined, 0, 0] : this.#queue.take(this, token);
  }

  async moveToCompleted(job: EndedJob, _result: unknown, _keep: unknown, token: string, fetchNext: boolean) {
    return this.#finish(job, token, fetchNext);
  }

  async moveToFailed(job: EndedJob, _reason: string, _keep: unknown, token: string, fetchNext: boolean) {
    return this.#finish(job, token, fetchNext);
  }

  /** The end of a job and the begin of the next are one change. */
  async #finish({ id }: EndedJob, token: string, fetchNext: boolean) {
    await pause();
    this.#queue.finish(id as string, token);
    return { finishedOn: Date.now(), result: fetchNext ? this.#take(token) : [] };
  }

  async moveStalledJobsToWait(): Promise<string[]> {
    return this.#queue.recoverStalled();
  }

  async extendLocks(jobIds: string[], tokens: string[]): Promise<string[]> {
    return jobIds.filter((id, index) => !this.#queue.isHolding(id, tokens[index] as string));
  }

  async waitForJob(blockTimeout: number) {
    if (this.#interrupted) return NEVER;
    if (this.#queue.mayTake()) return NOW;
    return this.#queue.blocked.wait(this, blockTimeout * 1_000);
  }

  async disconnectBlocking(): Promise<void> {
    this.#interrupted = true;
    this.#state.blocked.interrupt(this);
  }

  async reconnectBlocking(): Promise<void> {
    this.#interrupted = false;
  }

  // Job schedulers

  /** @param data JSON */
  async addJobScheduler(
    id: string,
    _at: number,
    data: string,
    _templateOpts: JobsOptions,
    repeat: RepeatableOptions,
    jobOpts: JobsOptions,
  ): Promise<[string, number]> {
    return this.#queue.schedulers.upsert(id, data, repeat, jobOpts);
  }

  async updateJobSchedulerNextMillis(id: string, _at: number, _data: string, opts: JobsOptions, producer?: string) {
    return this.#queue.schedulers.advance(id, opts, producer);
  }

  async removeJobScheduler(id: string): Promise<number> {
    return this.#queue.schedulers.remove(id) ? 0 : 1;
  }

  async isJobScheduler(id: string): Promise<boolean> {
    return this.#queue.schedulers.has(id);
  }

  async getJobSchedulerData(id: string): Promise<Record<string, string>> {
    return this.#queue.schedulers.fields(id);
  }

  /** @returns `[id, next, id, next, ...]`; `end` is included, and -1 is the last */
  async getJobSchedulersRange(start: number, end: number, asc: boolean): Promise<string[]> {
    const all = this.#queue.schedulers.byNext();
    const page = (asc ? all : all.reverse()).slice(start, end === -1 ? undefined : end + 1);
    return page.flatMap(([id, next]) => [id, String(next)]);
  }

  // State

  async getJobData(jobId: string): Promise<JobJson | undefined> {
    const job = this.#queue.get(jobId);
    // BullMQ's type requires what only a finished job has.
    return job && (jsonOf(job) as JobJson);
  }

  async getCounts(types: JobType[]): Promise<number[]> {
    return types.map((type) => {
      const place = places[type];
      return place === undefined ? 0 : this.#queue.count(place);
    });
  }

  /** BullMQ notes its version, and the length of a list of events that is not kept. */
  async setQueueMeta(values: Record<string, string | number>): Promise<number> {
    const limit = ['concurrency', 'max'].find((name) => name in values);
    if (limit !== undefined) throw unsupportedOperation(`setQueueMeta with the limit ${limit}`);
    return 0;
  }
}

export const createMemoryBackend: BackendFactory<MemoryBackend, MemoryConnection> = (name, opts) =>
  new MemoryBackend(name, opts);
