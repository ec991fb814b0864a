/**
 * Job schedulers with an interval: each has one pending iteration, a job that creates the next one when a worker takes it.
 * The rules are those of BullMQ's scripts `addJobScheduler` and `updateJobScheduler`.
 */
import type { RepeatableOptions } from 'bullmq';
import { type StoredOptions, storedOptions } from './job-options.ts';
import { unsupportedOperation } from './rejecting-backend.ts';
import type { JobFields } from './stored-job.ts';

/** The jobs of the queue, as schedulers use them. */
interface Iterations {
  has(id: string): boolean;
  /** Removes the job unless a worker has it. @returns whether it did */
  cancel(id: string, from: 'delayed' | 'pending'): boolean;
  add(id: string, job: JobFields, opts: StoredOptions): void;
}

interface Scheduler {
  name: string;
  every: number;
  /** Iterations that were missed are skipped, so that the next one has this offset within the interval. */
  offset: number;
  /** Time of the pending iteration (ms since the epoch). */
  next: number;
  /** JSON. */
  data: string;
}

const iterationId = (schedulerId: string, at: number): string => `repeat:${schedulerId}:${at}`;

export class JobSchedulers {
  readonly #all = new Map<string, Scheduler>();
  readonly #iterations: Iterations;

  constructor(iterations: Iterations) {
    this.#iterations = iterations;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  /** Creates or replaces a scheduler, and its pending iteration. @returns id and delay of the iteration */
  upsert(id: string, data: string, repeat: RepeatableOptions, jobOpts: StoredOptions): [string, number] {
    const { name, every, startDate = 0, ...others } = repeat;
    if (every === undefined || Object.values(others).some((value) => value !== undefined && value !== null))
      throw unsupportedOperation('upsertJobScheduler with other times than every and startDate');
    const opts = storedOptions(jobOpts);
    const now = Date.now();
    const replaced = this.#all.get(id);
    const same = replaced?.every === every ? replaced : undefined;
    let next = same === undefined ? Math.max(startDate, now) : followingTime(same.next, every, now, 0);
    let offset = next % every;
    if (replaced !== undefined && this.#iterations.cancel(iterationId(id, replaced.next), 'pending')) {
      next = same?.next ?? next;
      offset = replaced.offset;
    }
    // A worker has the iteration of that time.
    while (this.#iterations.has(iterationId(id, next))) next += every;
    const scheduler = { name: name ?? id, every, offset, next, data };
    this.#all.set(id, scheduler);
    return this.#add(id, scheduler, opts, now);
  }

  /**
   * Creates the iteration after the one that a worker has taken.
   * @param producer id of the taken job; only the pending iteration creates another
   */
  advance(id: string, opts: StoredOptions, producer: string | undefined): string | null {
    const scheduler = this.#all.get(id);
    if (scheduler === undefined || producer !== iterationId(id, scheduler.next)) return null;
    const now = Date.now();
    const next = followingTime(scheduler.next, scheduler.every, now, scheduler.offset);
    if (this.#iterations.has(iterationId(id, next))) return null;
    scheduler.next = next;
    return this.#add(id, scheduler, storedOptions(opts), now)[0];
  }

  #add(schedulerId: string, { name, next, data }: Scheduler, opts: StoredOptions, now: number): [string, number] {
    const id = iterationId(schedulerId, next);
    const delay = Math.max(0, next - now);
    this.#iterations.add(id, { name, data, timestamp: now, repeatJobKey: schedulerId }, { ...opts, jobId: id, delay });
    return [id, delay];
  }

  /** Also removes the pending iteration while it is delayed. @returns whether the scheduler existed */
  remove(id: string): boolean {
    const scheduler = this.#all.get(id);
    if (scheduler === undefined) return false;
    this.#iterations.cancel(iterationId(id, scheduler.next), 'delayed');
    return this.#all.delete(id);
  }

  clear(): void {
    this.#all.clear();
  }

  /** Returns the fields of a scheduler as BullMQ reads them; without any there is none. */
  fields(id: string): Record<string, string> {
    const scheduler = this.#all.get(id);
    return scheduler === undefined ? {} : { name: scheduler.name, every: String(scheduler.every) };
  }

  /** Returns the ids with the times of their next iterations, the soonest first. */
  byNext(): [string, number][] {
    const all = [...this.#all].map(([id, { next }]): [string, number] => [id, next]);
    return all.sort(([id, next], [otherId, other]) => next - other || (id < otherId ? -1 : 1));
  }
}

/** Returns the time of the iteration after `last`. */
function followingTime(last: number, every: number, now: number, offset: number): number {
  if (last + every >= now) return last + every;
  const aligned = Math.floor(now / every) * every + offset;
  return aligned <= now ? aligned + every : aligned;
}
