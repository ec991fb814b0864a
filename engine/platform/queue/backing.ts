/** A backend of BullMQ, as `bullmq.ts` and `consumer.ts` need it. */
import type { BackendFactory, IQueueBackend } from 'bullmq';
import type { Channels } from './channel.ts';

export interface Backing<B extends IQueueBackend, C> {
  /** For adding and removing jobs. */
  connection: C;
  /** For workers; absent: `connection`. */
  workerConnection?(): C;
  factory: BackendFactory<B, C>;
  /** Prefix of BullMQ's keys; absent: none. */
  prefix?: string;
  /** Prefix of job ids within BullMQ; absent: none. */
  idPrefix?: string;
  /** Replaces BullMQ's own removal, to answer as the port requires. @param id with its prefix */
  remove?(queue: string, id: string): Promise<boolean>;
  /** Name of this process's workers, by which others find its active jobs; absent: there are no others. */
  process?: string;
  /** Returns the lock of an active job; absent: there are no other processes. @param id with its prefix */
  lockOf?(queue: string, id: string): Promise<string | undefined>;
  /** ms until the lock of a dead process's job expires; a live worker renews it at half of that. */
  lockMs: number;
  /** Interval of the check for expired locks. */
  stalledMs: number;
  /** Number of jobs from which BullMQ's bulk add is faster than single adds. */
  bulkFrom: number;
  channels: Channels;
  /** Limits the time of an operation, and makes its error presentable; absent: neither. */
  within?<T>(work: Promise<T>): Promise<T>;
  /** Whether to ignore an error of the connection, which is reported elsewhere. */
  quiet?(error: unknown): boolean;
  /** Maximum ms to close a worker after its handlers have ended; absent: unlimited. */
  closeMs?: number;
  ping(): Promise<void>;
  close(): Promise<void>;
}
