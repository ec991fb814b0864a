/**
 * A job as the in-process backend stores it. Its data is JSON text, which BullMQ encodes once when the job is added and
 * decodes for each `Job` that it makes, so that no two of them share an object.
 */
import type { JobJson } from 'bullmq';
import type { StoredOptions } from './job-options.ts';

export type Place = 'waiting' | 'delayed' | 'active';

export interface StoredJob extends JobFields {
  readonly id: string;
  readonly opts: StoredOptions;
  place: Place;
  delay: number;
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

/** The parts of a new job that are stored: the data is JSON, the key is that of the scheduler that created it. */
export type JobFields = Readonly<Pick<JobJson, 'name' | 'data' | 'timestamp' | 'repeatJobKey'>>;

export function storedJob(job: JobFields, id: string, opts: StoredOptions): StoredJob {
  const { name, data, timestamp, repeatJobKey } = job;
  return {
    id,
    name,
    data,
    opts,
    timestamp,
    ...(repeatJobKey !== undefined && { repeatJobKey }),
    place: 'waiting',
    delay: opts.delay ?? 0,
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
export function jsonOf({ id, name, data, opts, timestamp, delay, repeatJobKey }: StoredJob): Partial<JobJson> {
  const copied = opts.repeat === undefined ? opts : structuredClone(opts);
  const key = repeatJobKey === undefined ? {} : { repeatJobKey };
  return { id, name, data, opts: copied, timestamp, delay, priority: 0, ...key };
}
