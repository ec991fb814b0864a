/**
 * The jobs of one queue, in this process's memory. Its rules are those of BullMQ's scripts for Redis:
 *
 * 1. An id that exists is not added again; a finished job is forgotten, and its id may be added again.
 * 2. Waiting jobs are taken in the order in which they were added. A delayed job is added when it is due by the
 *    machine's clock; one whose worker was closed by force is the next.
 * 3. Only the holder of a job's lock may end it. A lock does not expire; it ends with the backend of its worker.
 */
import { ErrorCode, type JobJson } from 'bullmq';
import { BlockedWorkers } from './blocked-workers.ts';
import { DelayedHeap } from './delayed-heap.ts';
import { type StoredOptions, storedOptions } from './job-options.ts';
import { JobSchedulers } from './job-schedulers.ts';
import { unsupportedOperation } from './rejecting-backend.ts';
import { type Holder, type JobFields, jsonOf, type Place, type StoredJob, storedJob } from './stored-job.ts';
import { WaitList } from './wait-list.ts';

/** The job or nothing, its id, the ms of a rate limit, the time of the next delayed job. */
export type TakenJob = [Partial<JobJson> | undefined, string | undefined, 0, number];

export class MemoryQueue {
  readonly blocked = new BlockedWorkers(() => this.#delayed.first?.dueAt ?? Number.POSITIVE_INFINITY);
  readonly schedulers = new JobSchedulers({
    has: (id) => this.#jobs.has(id),
    cancel: (id, from) => this.#cancel(id, from),
    add: (id, job, opts) => this.#store(job, id, opts),
  });
  readonly #jobs = new Map<string, StoredJob>();
  readonly #waiting = new WaitList();
  readonly #delayed = new DelayedHeap();
  /** In the order in which they were taken. */
  readonly #active = new Set<StoredJob>();
  #isPaused = false;

  /**
   * @returns the id of each job
   * @throws NodewrightError INTERNAL for an option that is not supported; then no job is added
   */
  add(entries: readonly { job: JobJson; jobId: string | undefined }[]): string[] {
    const checked = entries.map(({ job, jobId }) => {
      if (!jobId) throw unsupportedOperation('addJob without an id');
      return { job, id: jobId, opts: storedOptions(job.opts) };
    });
    for (const { job, id, opts } of checked) if (!this.#jobs.has(id)) this.#store(job, id, opts);
    return checked.map(({ id }) => id);
  }

  #store(job: JobFields, id: string, opts: StoredOptions): void {
    const stored = storedJob(job, id, opts);
    this.#jobs.set(id, stored);
    if (stored.delay > 0) this.#delay(stored, stored.timestamp + stored.delay);
    else this.#enqueue(stored);
  }

  #delay(job: StoredJob, dueAt: number): void {
    job.place = 'delayed';
    this.#delayed.add(job, dueAt);
    if (this.#delayed.first === job) this.blocked.schedule();
  }

  #enqueue(job: StoredJob): void {
    this.#waiting.push(job);
    this.#notify();
  }

  /** Ends the block of idle workers if there may be a job for them. */
  #notify(): void {
    if (this.blocked.size > 0 && this.mayTake()) this.blocked.notify();
  }

  mayTake(): boolean {
    const next = this.#delayed.first;
    return !this.#isPaused && (this.#waiting.size > 0 || (next !== undefined && next.dueAt <= Date.now()));
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#notify();
  }

  take(holder: Holder, token: string): TakenJob {
    this.#promote(Date.now());
    if (this.#isPaused) return [undefined, undefined, 0, 0];
    const job = this.#waiting.shift();
    if (job === undefined) return [undefined, undefined, 0, this.#delayed.first?.dueAt ?? 0];
    Object.assign(job, { place: 'active', token, holder });
    this.#active.add(job);
    return [jsonOf(job), job.id, 0, 0];
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
    const job = this.#jobs.get(id);
    if (job === undefined) throw codedError(ErrorCode.JobNotExist, `Missing key for job ${id}. moveToFinished`);
    if (job.token === undefined)
      throw codedError(ErrorCode.JobLockNotExist, `Missing lock for job ${id}. moveToFinished`);
    if (job.token !== token)
      throw codedError(ErrorCode.JobLockMismatch, `Lock mismatch for job ${id}. Cmd moveToFinished from active`);
    this.#forget(job);
  }

  isHolding(id: string, token: string): boolean {
    return this.#jobs.get(id)?.token === token;
  }

  /** Returns the jobs of closed workers to the queue, as the next. @returns their ids */
  recoverStalled(): string[] {
    const stalled = [...this.#active].filter(({ holder }) => holder?.closing !== undefined);
    for (const job of stalled) {
      this.#active.delete(job);
      Object.assign(job, { place: 'waiting', token: undefined, holder: undefined });
      this.#waiting.unshift(job);
    }
    this.#notify();
    return stalled.map(({ id }) => id);
  }

  /** @returns whether the job is removed; not if a worker has it or it does not exist */
  remove(id: string): boolean {
    return this.#cancel(id, 'pending');
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

  /** Deletes everything. */
  obliterate(): void {
    for (const job of this.#jobs.values()) this.#forget(job);
    this.schedulers.clear();
    this.#isPaused = false;
  }

  get(id: string): StoredJob | undefined {
    return this.#jobs.get(id);
  }

  count(place: Place): number {
    return { waiting: this.#waiting, delayed: this.#delayed, active: this.#active }[place].size;
  }
}

const codedError = (code: ErrorCode, message: string): Error => Object.assign(new Error(message), { code });
