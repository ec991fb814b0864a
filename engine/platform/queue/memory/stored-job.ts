/**
 * A job as the in-process backend stores it. Its data is JSON text, which BullMQ encodes once when the job is added and
 * decodes for each `Job` that it makes, so that no two of them share an object.
 */
import type { JobJson } from 'bullmq';
import type { StoredOptions } from './job-options.ts';

export type Place = 'waiting' | 'delayed' | 'active';

export interface StoredJob {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
  readonly opts: StoredOptions;
  readonly timestamp: number;
  /** Id of the scheduler that created the job. */
  readonly schedulerId: string | undefined;
  place: Place;
  delay: number;
  attemptsStarted: number;
  stalledCounter: number;
  processedOn: number | undefined;
  processedBy: string | undefined;
  deferredFailure: string | undefined;
  /** The lock of an active job, and the backend of the worker that holds it. */
  token: string | undefined;
  holder: Holder | undefined;
  /** Neighbours in the list of waiting jobs. */
  before: StoredJob | undefined;
  after: StoredJob | undefined;
  /** Time at which a delayed job is due (ms since the epoch), its order among jobs of that time, its index in the heap. */
  dueAt: number;
  order: number;
  index: number;
}

/** The backend of a worker. One that is closing holds its locks no longer. */
export interface Holder {
  readonly closing: Promise<void> | undefined;
}

/** The parts of a new job that are stored. */
export type JobFields = Pick<JobJson, 'name' | 'data' | 'timestamp' | 'repeatJobKey'>;

export function storedJob(job: JobFields, id: string, opts: StoredOptions, delay: number): StoredJob {
  return {
    id,
    name: job.name,
    data: job.data,
    opts,
    timestamp: job.timestamp,
    schedulerId: job.repeatJobKey,
    place: 'waiting',
    delay,
    attemptsStarted: 0,
    stalledCounter: 0,
    processedOn: undefined,
    processedBy: undefined,
    deferredFailure: undefined,
    token: undefined,
    holder: undefined,
    before: undefined,
    after: undefined,
    dueAt: 0,
    order: 0,
    index: -1,
  };
}

/** Returns the form from which BullMQ makes a `Job`: it copies the options, but not objects within them. */
export function jsonOf(job: StoredJob): Omit<JobJson, 'failedReason' | 'returnvalue'> {
  return {
    id: job.id,
    name: job.name,
    data: job.data,
    opts: job.opts.repeat === undefined ? job.opts : structuredClone(job.opts),
    timestamp: job.timestamp,
    delay: job.delay,
    priority: 0,
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: job.attemptsStarted,
    stalledCounter: job.stalledCounter,
    ...(job.processedOn !== undefined && { processedOn: job.processedOn }),
    ...(job.processedBy !== undefined && { processedBy: job.processedBy }),
    ...(job.deferredFailure !== undefined && { deferredFailure: job.deferredFailure }),
    ...(job.schedulerId !== undefined && { repeatJobKey: job.schedulerId }),
  };
}
