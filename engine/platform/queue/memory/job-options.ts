/** The options of jobs that the in-process backend supports. Any other is rejected: it would have no effect. */
import type { JobsOptions } from 'bullmq';
import { NodewrightError } from '../../../vocabulary/errors.ts';

/** As BullMQ passes them; those of a scheduler's job include what its type lacks. */
export interface StoredOptions extends JobsOptions {
  repeat?: object;
}

/** Finished jobs are not kept, so an option that would keep them is rejected, and so is a default that would. */
const REMOVAL = ['removeOnComplete', 'removeOnFail'];

/** BullMQ sets all but the first two: in the middle for each job, then for those of schedulers. */
const ACCEPTED = [
  'jobId',
  'delay',
  'timestamp',
  'sizeLimit',
  'stackTraceLimit',
  'repeat',
  'prevMillis',
  'repeatJobKey',
];

function isAccepted(name: string, value: unknown): boolean {
  if (REMOVAL.includes(name)) return value === true || value === 0;
  return ACCEPTED.includes(name) || value === false || value === 0 || (name === 'attempts' && value === 1);
}

/** Without null, as on Redis. */
const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (_, field) => field ?? undefined);

/**
 * Returns a copy that shares no object with the original.
 * @throws NodewrightError INTERNAL for an option that is not supported
 */
export function storedOptions(opts: JobsOptions): StoredOptions {
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(opts)) {
    if (value === undefined || value === null) continue;
    if (!isAccepted(name, value)) throw rejection(name, `has the option ${name} = ${JSON.stringify(value)}`);
    stored[name] = typeof value === 'object' ? copyOf(value) : value;
  }
  for (const name of REMOVAL) if (stored[name] === undefined) throw rejection(name, `has no option ${name}`);
  return stored;
}

function rejection(name: string, problem: string): NodewrightError {
  const expected = REMOVAL.includes(name) ? 'it keeps no finished job; set it to true' : 'remove it';
  const message = `a job ${problem}, which BullMQ's in-process backend does not support; ${expected}`;
  return new NodewrightError('INTERNAL', message);
}
