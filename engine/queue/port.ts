/**
 * The queue port: jobs that a worker of any process takes, each held under a lock that a dead process loses.
 * Rows in the store are the truth; a queue only says who does what next. So a job may be added twice, delivered
 * twice or lost, and nothing breaks: its handler looks at the row first, and the sweep adds what is missing.
 */

export interface NewJob<Data> {
  /** Deduplicates while the job exists. No `:`, not all digits (BullMQ refuses both). */
  id: string;
  data: Data;
  /** ms from now; absent: at once. */
  delayMs?: number;
}

export interface Consumer {
  /** Takes no more jobs and resolves when those in hand have ended. */
  close(): Promise<void>;
}

export interface Queue<Data> {
  /** Adds all in one round trip; one whose id is there already is left alone. */
  add(jobs: readonly NewJob<Data>[]): Promise<void>;
  /** @returns true when the job was still waiting and is gone now; false when a worker has it or it is not there */
  remove(id: string): Promise<boolean>;
  /**
   * Makes a job again and again until `unrepeat`, one at a time, for whoever consumes. Asked for again it goes by what
   * was asked for last.
   * @param everyMs from one to the next @param firstMs from now until the first
   */
  repeat(id: string, data: Data, everyMs: number, firstMs: number): Promise<void>;
  unrepeat(id: string): Promise<void>;
  /** @returns the ids of all that are repeated */
  repeated(): Promise<string[]>;
  /**
   * @param handler a job is gone when its handler resolves; a handler that throws is logged, and its job is gone too
   * @param concurrency jobs at once in this process
   */
  consume(handler: (data: Data, signal: AbortSignal) => Promise<void>, concurrency: number): Consumer;
  /**
   * Gives what a dead process has in hand to others, without waiting for its locks to run out. Should it live, it loses
   * those locks.
   * @param process as `Queues` was opened with
   */
  release(process: string): Promise<void>;
  /**
   * Forgets every job. Only for an owner that is alone on its queue and makes them again from rows: other processes
   * would lose the jobs that they have in hand, and what they add meanwhile.
   */
  clear(): Promise<void>;
}

/** Tells all processes something at once, this one included. */
export interface Channel<T> {
  /**
   * At most once: who is not subscribed at this moment, or is out of touch, never hears it. So it may only hasten what
   * rows bring about anyway.
   * @param message plain data, as JSON at most 64 KiB
   * @throws NodewrightError TOO_LARGE, UNAVAILABLE
   */
  publish(message: T): Promise<void>;
  /**
   * @param handler never called from within `publish`; gets a copy of its own; one that throws is logged
   * @returns once everything published from now on will be heard; call what it gives to hear no more
   */
  subscribe(handler: (message: T) => void): Promise<() => Promise<void>>;
}

export interface Queues {
  queue<Data>(name: string): Queue<Data>;
  channel<T>(name: string): Channel<T>;
  ping(): Promise<void>;
  /** Closes the connections; consumers are closed first by whoever opened them. */
  close(): Promise<void>;
}
