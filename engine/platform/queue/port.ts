/**
 * The queue port: jobs that a worker of any process takes, each under a lock that expires when its process dies. The
 * database is the source of truth; the queue only schedules work. A job may therefore be added twice, delivered twice
 * or lost without harm: its handler reads the row first, and the recovery sweep re-creates lost jobs.
 *
 * Called by: `durable/runtime/` (activities, timers, aborts), web hooks, pollers; channels also by the settings, the
 *   definitions, SKUs and the gates of BMCs.
 * Calls: the handlers that consumers pass. Implemented by BullMQ (`bullmq.ts`) on Redis (`redis.ts`) or in memory
 *   (`embedded.ts`).
 */

export interface NewJob<Data> {
  /** Deduplicates while the job exists. No `:`, not all digits (BullMQ rejects both). */
  id: string;
  data: Data;
  /** ms from now; absent: immediately. */
  delayMs?: number;
}

export interface Consumer {
  /** Changes the maximum of concurrent jobs; running ones continue. At least 1. */
  limit(concurrency: number): void;
  /** Takes no more jobs, and resolves when the running ones have ended. */
  close(): Promise<void>;
}

export interface Queue<Data> {
  /** Adds all in one round trip, except those whose id exists. */
  add(jobs: readonly NewJob<Data>[]): Promise<void>;
  /** @returns true if the job was waiting and is now removed; false if a worker has it or it does not exist */
  remove(id: string): Promise<boolean>;
  /** Returns the number of jobs that no worker has yet, without those whose time has not come. */
  waitingCount(): Promise<number>;
  /** Whether the job waits, or a worker has it. */
  has(id: string): Promise<boolean>;
  /**
   * Creates a job repeatedly until `unrepeat`, one at a time, for any consumer. Another
   * call with the same id replaces the settings.
   * @param everyMs interval @param firstMs delay of the first job
   */
  repeat(id: string, data: Data, everyMs: number, firstMs: number): Promise<void>;
  unrepeat(id: string): Promise<void>;
  /** @returns the ids of all repeated jobs */
  repeatedJobs(): Promise<string[]>;
  /**
   * @param handler a job is deleted when its handler ends; an error is logged
   * @param concurrency maximum of concurrent jobs in this process
   */
  consume(handler: (data: Data, signal: AbortSignal) => Promise<void>, concurrency: number): Consumer;
  /**
   * Returns a dead process's active jobs to the queue before their locks expire. If
   * the process is alive, it loses those locks.
   * @param process as passed when `Queues` was opened
   */
  release(process: string): Promise<void>;
}

/** Broadcasts messages to all processes, including this one. */
export interface Channel<T> {
  /**
   * Delivers at most once: a process that is not subscribed or not connected at this moment never receives the message.
   * A message may therefore only speed up work that the rows cause anyway.
   * @param message plain data, at most 64 KiB as JSON
   * @throws NodewrightError TOO_LARGE, UNAVAILABLE
   */
  publish(message: T): Promise<void>;
  /**
   * @param handler never called within `publish`; receives its own copy; its errors are logged
   * @returns once the subscription is active; call the result to end it
   */
  subscribe(handler: (message: T) => void): Promise<() => Promise<void>>;
}

export interface Queues {
  queue<Data>(name: string): Queue<Data>;
  /** Removes a queue with all of its jobs. A worker that has one of them continues. */
  destroy(name: string): Promise<void>;
  channel<T>(name: string): Channel<T>;
  ping(): Promise<void>;
  /** Closes the connections; callers close their consumers first. */
  close(): Promise<void>;
}
