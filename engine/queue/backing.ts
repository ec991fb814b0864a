/** What may stand behind BullMQ, as BullMQ's two users here need it (`bullmq.ts`, `consumer.ts`). */
import type { BackendFactory, IQueueBackend } from 'bullmq';
import type { Channels } from './channel.ts';

export interface Backing<B extends IQueueBackend, C> {
  /** For adding and removing. */
  connection: C;
  /** For workers; absent: the same. */
  workerConnection?(): C;
  factory: BackendFactory<B, C>;
  /** What BullMQ's keys begin with; absent: it has none. */
  prefix?: string;
  /** What a job's id begins with inside BullMQ; absent: nothing. */
  idPrefix?: string;
  /** Instead of BullMQ's own removal, for one that answers as the port wants. @param id with its prefix */
  remove?(queue: string, id: string): Promise<boolean>;
  /** What its workers are called, so that others find what they have in hand; absent: there are no others. */
  process?: string;
  /** The lock of a job that a worker has in hand. @param id with its prefix */
  lockOf?(queue: string, id: string): Promise<string | undefined>;
  /** A dead process's jobs are free after this and the next check; alive, it renews at half of it. */
  lockMs: number;
  /** How often somebody looks for jobs whose lock has run out. */
  stalledMs: number;
  /** From how many jobs on BullMQ's bulk add is faster than one add for each. */
  bulkFrom: number;
  channels: Channels;
  /** Bounds the wait for an operation, and makes its error fit to be shown; absent: as it comes. */
  within?<T>(work: Promise<T>): Promise<T>;
  /** True for an error of the connection, which is told elsewhere. */
  quiet?(error: unknown): boolean;
  /** ms that a worker may take to close once its handlers have ended; absent: as long as it needs. */
  closeMs?: number;
  ping(): Promise<void>;
  close(): Promise<void>;
}
