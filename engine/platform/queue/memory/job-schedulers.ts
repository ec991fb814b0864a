/**
 * Job schedulers: each has one pending iteration, a job that creates the next one when a worker takes it. The rules are
 * those of BullMQ's scripts `addJobScheduler` and `updateJobScheduler`.
 */
import type { RepeatableOptions } from 'bullmq';
import { iterationExists, iterationsExist } from './job-errors.ts';
import { type StoredOptions, storedOptions } from './job-options.ts';

/** The jobs of the queue, as schedulers use them. */
interface Iterations {
  has(id: string): boolean;
  /** Removes the job unless a worker has it. @returns whether it did */
  cancel(id: string, from: 'delayed' | 'pending'): boolean;
  add(iteration: Iteration): void;
}

interface Iteration {
  id: string;
  schedulerId: string;
  name: string;
  /** JSON. */
  data: string;
  opts: StoredOptions;
  timestamp: number;
}

interface Scheduler extends Omit<RepeatableOptions, 'offset'> {
  offset?: number | undefined;
  /** Time of the pending iteration (ms since the epoch). */
  next: number;
  /** Number of iterations so far. */
  count: number;
  /** JSON. */
  data: string;
  opts: StoredOptions;
}

/** Times that are tried for an iteration whose id exists. */
const MAX_SCANS = 32;

const iterationId = (schedulerId: string, at: number): string => `repeat:${schedulerId}:${at}`;

export class JobSchedulers {
  readonly #all = new Map<string, Scheduler>();
  readonly #iterations: Iterations;

  constructor(iterations: Iterations) {
    this.#iterations = iterations;
  }

  get size(): number {
    return this.#all.size;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  /** Whether the job is the pending iteration of its scheduler. */
  isPending(jobId: string, schedulerId: string | undefined): boolean {
    const scheduler = schedulerId === undefined ? undefined : this.#all.get(schedulerId);
    return scheduler !== undefined && jobId === iterationId(schedulerId as string, scheduler.next);
  }

  /**
   * Creates or replaces a scheduler, and its pending iteration.
   * @param at time of the next iteration of a pattern
   * @returns id and delay of the iteration
   */
  upsert(
    id: string,
    at: number,
    data: string,
    templateOpts: StoredOptions,
    repeat: RepeatableOptions,
    jobOpts: StoredOptions,
  ): [string, number] {
    const opts = storedOptions(templateOpts);
    const now = Date.now();
    const replaced = this.#all.get(id);
    const { every } = repeat;
    const sameEvery = every !== undefined && replaced?.every === every;
    const given = repeat.offset ?? jobOpts.repeat?.offset ?? 0;
    let [next, offset] = [at, given];
    if (every !== undefined) {
      [next, offset] = nextOf(sameEvery ? replaced?.next : undefined, every, now, given, repeat.startDate);
    }
    const pending = replaced && iterationId(id, replaced.next);
    const cancelled = pending !== undefined && this.#iterations.cancel(pending, 'pending');
    if (cancelled && sameEvery) next = replaced?.next as number;
    const kept = cancelled ? repeat.offset : offset;
    next = this.#free(id, next, every);
    const scheduler = { ...repeat, offset: kept ?? replaced?.offset, next, count: replaced?.count ?? 1, data, opts };
    this.#all.set(id, scheduler);
    const delay = Math.max(0, next - now);
    this.#add(id, scheduler, { ...jobOpts, delay }, now);
    return [iterationId(id, next), delay];
  }

  /** @throws Error when the iteration exists: a worker has it */
  #free(id: string, at: number, every: number | undefined): number {
    if (!this.#iterations.has(iterationId(id, at))) return at;
    if (every === undefined) throw iterationExists();
    for (let scan = 1; scan <= MAX_SCANS; scan += 1) {
      const next = at + scan * every;
      if (!this.#iterations.has(iterationId(id, next))) return next;
    }
    throw iterationsExist();
  }

  /**
   * Creates the iteration after the one that a worker has taken.
   * @param at its time, for a pattern @param producer id of the taken job; only the pending iteration creates another
   */
  advance(id: string, at: number, jobOpts: StoredOptions, producer: string | undefined): string | null {
    const scheduler = this.#all.get(id);
    if (scheduler === undefined || producer !== iterationId(id, scheduler.next)) return null;
    const now = Date.now();
    const { every, startDate, next: last } = scheduler;
    const offset = scheduler.offset ?? jobOpts.repeat?.offset ?? 0;
    const next = every === undefined ? at : nextOf(last, every, now, offset, startDate)[0];
    const created = iterationId(id, next);
    if (this.#iterations.has(created)) return null;
    scheduler.next = next;
    scheduler.count += 1;
    this.#add(id, scheduler, { ...jobOpts, delay: Math.max(0, next - now) }, now);
    return created;
  }

  #add(schedulerId: string, { name, next, data }: Scheduler, opts: StoredOptions, timestamp: number): void {
    const id = iterationId(schedulerId, next);
    this.#iterations.add({ id, schedulerId, name, data, opts: { ...opts, jobId: id }, timestamp });
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

  /** Time of the next iteration (ms since the epoch). */
  nextOf(id: string): number | undefined {
    return this.#all.get(id)?.next;
  }

  /** Returns the fields of a scheduler as BullMQ reads them. */
  fields(id: string): Record<string, string> {
    const scheduler = this.#all.get(id);
    if (scheduler === undefined) return {};
    const { next: _, count, opts, data, ...repeat } = scheduler;
    const set = Object.entries(repeat).filter(([, value]) => value !== undefined && value !== null);
    return {
      ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])),
      ic: String(count),
      opts: JSON.stringify(opts),
      ...(data !== '{}' && { data }),
    };
  }

  /** Returns `[id, next, id, next, ...]`, the soonest first. */
  byNext(): [string, number][] {
    const all = [...this.#all].map(([id, { next }]): [string, number] => [id, next]);
    return all.sort(([id, next], [otherId, other]) => next - other || (id < otherId ? -1 : 1));
  }
}

/** Returns the time of the next iteration, and its offset within the interval. */
function nextOf(
  last: number | undefined,
  every: number,
  now: number,
  offset: number,
  startDate: number | undefined,
): [number, number] {
  const next = Math.floor(last === undefined ? first(every, now, offset, startDate) : after(last, every, now, offset));
  return [next, Math.floor(offset === 0 ? next % every : offset)];
}

function first(every: number, now: number, offset: number, startDate: number | undefined): number {
  if (startDate !== undefined) return Math.max(startDate, now);
  if (offset <= 0) return now;
  const aligned = Math.floor(now / every) * every + offset;
  return aligned <= now ? aligned + every : aligned;
}

/** Skips iterations that were missed. */
function after(last: number, every: number, now: number, offset: number): number {
  if (last + every >= now) return last + every;
  const aligned = Math.floor(now / every) * every + offset;
  return aligned <= now ? aligned + every : aligned;
}
