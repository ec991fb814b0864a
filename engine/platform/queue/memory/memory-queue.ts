/**
 * The jobs of one queue, in this process's memory. Its rules are those of BullMQ's scripts for Redis:
 *
 * 1. An id that exists is not added again; a finished job is forgotten, and its id may be added again.
 * 2. Waiting jobs are taken in the order in which they were added. A delayed job is added when it is due by the
 *    machine's clock; one that its worker gave back is the next.
 * 3. Only the holder of a job's lock may end it. A lock does not expire; it ends with the backend of its worker.
 */
import type { JobJson } from 'bullmq';
import { BlockedWorkers } from './blocked-workers.ts';
import { DelayedHeap } from './delayed-heap.ts';
import { missingJob, missingLock, notActive, ofScheduler, otherLock } from './job-errors.ts';
import { type StoredOptions, storedOptions } from './job-options.ts';
import { JobSchedulers } from './job-schedulers.ts';
import { RateLimit } from './rate-limit.ts';
import { type Holder, type JobFields, jsonOf, type Place, type StoredJob, storedJob } from './stored-job.ts';
import { WaitList } from './wait-list.ts';

/** The worker that takes a job, and its options. */
export interface TakeOptions {
  worker: Holder;
  token: string;
  name: string | undefined;
  limiter: { max: number; duration: number } | undefined;
}

/** The job or nothing, its id, the ms for which the rate limit still applies, the time of the next delayed job. */
export type Taken = [ReturnType<typeof jsonOf> | undefined, string | undefined, number, number];

/** BullMQ's token of a worker that takes no lock. */
const UNLOCKED = '0';

const STALLED = 'job stalled more than allowable limit';

export class MemoryQueue {
  readonly meta = new Map<string, string>();
  readonly limit = new RateLimit();
  readonly blocked = new BlockedWorkers(() => this.#delayed.first?.dueAt ?? Number.POSITIVE_INFINITY);
  readonly schedulers = new JobSchedulers({
    has: (id) => this.#jobs.has(id),
    cancel: (id, from) => this.#cancel(id, from),
    add: ({ schedulerId, ...job }) => {
      this.#ids += 1;
      this.#store({ ...job, repeatJobKey: schedulerId }, job.id, storedOptions(job.opts));
    },
  });
  readonly #jobs = new Map<string, StoredJob>();
  readonly #waiting = new WaitList();
  readonly #delayed = new DelayedHeap();
  /** In the order in which they were taken. */
  readonly #active = new Set<StoredJob>();
  #ids = 0;

  /**
   * @returns the id of each job
   * @throws NodewrightError INTERNAL for an option that is not supported; then no job is added
   */
  add(entries: readonly { job: JobJson; jobId: string | undefined }[]): string[] {
    const checked = entries.map(({ job, jobId }) => ({ job, jobId, opts: storedOptions(job.opts) }));
    return checked.map(({ job, jobId, opts }) => {
      this.#ids += 1;
      const id = jobId || String(this.#ids);
      if (!this.#jobs.has(id)) this.#store(job, id, opts);
      return id;
    });
  }

  #store(job: JobFields, id: string, opts: StoredOptions): void {
    const delay = opts.delay ?? 0;
    const stored = storedJob(job, id, opts, delay);
    this.#jobs.set(id, stored);
    if (delay > 0) this.#delay(stored, stored.timestamp + delay);
    else this.#enqueue(stored);
  }

  #delay(job: StoredJob, dueAt: number): void {
    job.place = 'delayed';
    this.#delayed.add(job, dueAt);
    if (this.#delayed.first === job) this.blocked.schedule();
  }

  #enqueue(job: StoredJob): void {
    this.#waiting.push(job);
    this.wake();
  }

  /** Ends the block of idle workers if there may be a job for them. */
  wake(): void {
    if (this.blocked.size > 0 && this.mayTake()) this.blocked.wake();
  }

  mayTake(): boolean {
    if (this.#isHeld()) return false;
    const next = this.#delayed.first;
    return this.#waiting.size > 0 || (next !== undefined && next.dueAt <= Date.now());
  }

  get isPaused(): boolean {
    return this.meta.has('paused');
  }

  isMaxed(): boolean {
    const concurrency = this.meta.get('concurrency');
    return concurrency !== undefined && this.#active.size >= Number(concurrency);
  }

  #isHeld(): boolean {
    return this.isPaused || this.isMaxed();
  }

  take({ worker, token, name, limiter }: TakeOptions): Taken {
    const now = Date.now();
    this.#promote(now);
    const max = this.#limitOf('max') ?? limiter?.max;
    const limited = this.limit.remaining(max);
    if (limited > 0) return [undefined, undefined, limited, 0];
    if (this.#isHeld()) return [undefined, undefined, 0, 0];
    const job = this.#waiting.shift();
    if (job === undefined) return [undefined, undefined, 0, this.#delayed.first?.dueAt ?? 0];
    if (max !== undefined && job.deferredFailure === undefined) {
      this.limit.count(limiter?.duration ?? this.#limitOf('duration') ?? 0);
    }
    job.place = 'active';
    job.token = token === UNLOCKED ? undefined : token;
    job.holder = worker;
    job.processedOn = now;
    job.processedBy = name ?? job.processedBy;
    job.attemptsStarted += 1;
    this.#active.add(job);
    return [jsonOf(job), job.id, 0, 0];
  }

  #limitOf(field: 'max' | 'duration'): number | undefined {
    const value = this.meta.get(field);
    return value === undefined ? undefined : Number(value);
  }

  #promote(now: number): void {
    for (let job = this.#delayed.first; job !== undefined && job.dueAt <= now; job = this.#delayed.first) {
      this.#delayed.remove(job);
      job.place = 'waiting';
      job.delay = 0;
      this.#enqueue(job);
    }
  }

  /** Forgets a job that has ended. @throws Error with a code of BullMQ if the token does not hold it */
  finish(id: string, token: string): void {
    const job = this.#locked(id, token, 'moveToFinished');
    if (job.place !== 'active') throw notActive(id, 'moveToFinished');
    this.#forget(job);
    this.wake();
  }

  /** Returns an active job to the queue, as the next. */
  giveBack(id: string, token: string): void {
    const job = this.#locked(id, token, 'moveJobFromActiveToWait');
    if (job.place === 'active') this.#putBack(job);
  }

  #locked(id: string, token: string, command: string): StoredJob {
    const job = this.#jobs.get(id);
    if (job === undefined) throw missingJob(id, command);
    if (token === UNLOCKED || job.token === token) return job;
    throw job.token === undefined ? missingLock(id, command) : otherLock(id, command);
  }

  #putBack(job: StoredJob): void {
    this.#active.delete(job);
    job.place = 'waiting';
    job.token = undefined;
    job.holder = undefined;
    this.#waiting.unshift(job);
    this.wake();
  }

  isHolding(id: string, token: string): boolean {
    return this.#jobs.get(id)?.token === token;
  }

  /** Returns the jobs of closed workers to the queue. @returns their ids */
  recoverStalled(maxStalledCount: number): string[] {
    const stalled = [...this.#active].filter(({ holder }) => holder?.closing !== undefined);
    for (const job of stalled) {
      job.stalledCounter += 1;
      const isIteration = job.schedulerId !== undefined && this.schedulers.has(job.schedulerId);
      if (job.stalledCounter > maxStalledCount && !isIteration) job.deferredFailure = STALLED;
      this.#putBack(job);
    }
    return stalled.map(({ id }) => id);
  }

  /**
   * @returns whether the job is removed; not if a worker has it or it does not exist
   * @throws Error with a code of BullMQ for the pending iteration of a scheduler
   */
  remove(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined) return false;
    if (this.schedulers.isPending(id, job.schedulerId)) throw ofScheduler(id);
    if (job.token !== undefined && job.holder?.closing === undefined) return false;
    this.#forget(job);
    return true;
  }

  #cancel(id: string, from: 'delayed' | 'pending'): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined || job.place === 'active' || (from === 'delayed' && job.place !== from)) return false;
    this.#forget(job);
    return true;
  }

  #forget(job: StoredJob): void {
    if (job.place === 'active') this.#active.delete(job);
    else if (job.place === 'waiting') this.#waiting.remove(job);
    else this.#delayed.remove(job);
    this.#jobs.delete(job.id);
  }

  /** Deletes everything. @throws Error unless the queue is paused and, without `force`, has no active job */
  obliterate(force: boolean): void {
    if (!this.isPaused) throw new Error('Cannot obliterate non-paused queue');
    if (this.#active.size > 0 && !force) throw new Error('Cannot obliterate queue with active jobs');
    for (const job of this.#jobs.values()) this.#forget(job);
    this.schedulers.clear();
    this.limit.clear();
    this.meta.clear();
    this.#ids = 0;
  }

  get(id: string): StoredJob | undefined {
    return this.#jobs.get(id);
  }

  count(place: Place): number {
    return { waiting: this.#waiting, delayed: this.#delayed, active: this.#active }[place].size;
  }

  /** Returns the ids of the jobs in a place, in the order in which they come or came to a worker. */
  ids(place: Place): string[] {
    const jobs = { waiting: this.#waiting, delayed: this.#delayed.sorted(), active: this.#active }[place];
    return Array.from(jobs, ({ id }) => id);
  }

  /** Returns the number of delayed jobs that are due before the time (ms since the epoch). */
  dueBefore(at: number): number {
    return this.#delayed.sorted().filter(({ dueAt }) => dueAt < at).length;
  }
}
