/** The options of jobs that the in-process backend supports. Any other is rejected: it would have no effect. */
import type { JobsOptions } from 'bullmq';
import { NodewrightError } from '../../../vocabulary/errors.ts';

/** As BullMQ passes them; those of a scheduler's job include what its type lacks. */
export interface StoredOptions extends JobsOptions {
  repeat?: { offset?: number | null };
}

/** Finished jobs are not kept, so an option that would keep them is rejected, and so is a default that would. */
const REMOVAL = ['removeOnComplete', 'removeOnFail'] as const;

const isRemoval = (value: unknown): boolean => value === true || value === 0;

/** Accepts one value of an option. */
const accepted: Record<string, (value: unknown) => boolean> = {
  removeOnComplete: isRemoval,
  removeOnFail: isRemoval,
  attempts: (value) => Number(value) <= 1,
  ...Object.fromEntries(
    // The last three are what BullMQ's schedulers add.
    ['jobId', 'timestamp', 'delay', 'sizeLimit', 'stackTraceLimit', 'repeat', 'prevMillis', 'repeatJobKey'].map(
      (name) => [name, () => true],
    ),
  ),
};

/** An option that is off. */
const isOff = (value: unknown): boolean => value === false || value === 0;

/** Without null, as on Redis. */
const copied = (value: object): unknown => JSON.parse(JSON.stringify(value), (_, field) => field ?? undefined);

/**
 * Returns a copy that shares no object with the original.
 * @throws NodewrightError INTERNAL for an option that is not supported
 */
export function storedOptions(opts: JobsOptions): StoredOptions {
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(opts)) {
    if (value === undefined || value === null) continue;
    if (!(accepted[name] ?? isOff)(value)) throw refused(name, `has the option ${name} = ${JSON.stringify(value)}`);
    stored[name] = typeof value === 'object' ? copied(value) : value;
  }
  for (const name of REMOVAL) if (stored[name] === undefined) throw refused(name, `has no option ${name}`);
  return stored;
}

const refused = (name: string, found: string): NodewrightError => {
  const expected = REMOVAL.some((one) => one === name) ? 'it keeps no finished job; set it to true' : 'remove it';
  return new NodewrightError(
    'INTERNAL',
    `a job ${found}, which BullMQ's in-process backend does not support; ${expected}`,
  );
};
