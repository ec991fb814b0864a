/** The retry policy of a task, or of a label of a graph. */
import { isWholeNumber, listIn } from '../vocabulary/json.ts';
import { isOneOf } from '../vocabulary/one-of.ts';

export interface Retry {
  /** Total attempts, the first one included. */
  attempts: number;
  /** Delay before the second attempt, in ms. A durable timer: it also passes while no daemon runs. */
  delayMs: number;
  /** The delay grows by this factor with each further attempt. Default 2; 1 keeps it constant. */
  factor?: number;
  /** The longest delay between two attempts, in ms. Default 60,000. */
  maxDelayMs?: number;
  /** The codes of the errors after which another attempt is made. Absent: all that do not exclude it. */
  on?: readonly string[];
}

const FACTOR = 2;
const MAX_DELAY_MS = 60_000;
const MAX_ATTEMPTS = 1_000;

/** No attempt follows these errors: they end the task run, or the outcome of the attempt is unknown. */
const finalCodes = ['TASK_TIMEOUT', 'TASK_CANCELLED', 'TASK_INTERRUPTED', 'TASK_ABANDONED', 'OBM_UNANSWERED'];

/** Returns the delay after the failure of this attempt, in ms. @param attempt from 1 */
export function delayAfter({ delayMs, factor = FACTOR, maxDelayMs = MAX_DELAY_MS }: Retry, attempt: number): number {
  // Without delay, because 0 times an infinite power is no number.
  return delayMs === 0 ? 0 : Math.min(delayMs * factor ** (attempt - 1), maxDelayMs);
}

const isCode = (value: unknown): boolean => typeof value === 'string' && /^[A-Z][A-Z0-9_]*$/.test(value);

const checks: Record<keyof Retry, { holds: (value: unknown) => boolean; expected: string }> = {
  attempts: {
    holds: (value) => isWholeNumber(value, 1, MAX_ATTEMPTS),
    expected: `a whole number from 1 to ${MAX_ATTEMPTS}`,
  },
  delayMs: { holds: (value) => isWholeNumber(value, 0), expected: 'a whole number of ms' },
  factor: {
    holds: (value) => value === undefined || (typeof value === 'number' && value >= 1 && value <= 100),
    expected: 'a number from 1 to 100',
  },
  maxDelayMs: { holds: (value) => value === undefined || isWholeNumber(value, 0), expected: 'a whole number of ms' },
  on: {
    holds: (value) => value === undefined || (Array.isArray(value) && value.length > 0 && value.every(isCode)),
    expected: 'a list of error codes',
  },
};

/** Returns the first problem of a policy: what was found and expected. */
export function retryProblem(given: unknown): { found: string; expected: string } | undefined {
  if (typeof given !== 'object' || given === null) return { found: 'retry', expected: 'an object' };
  const retry: Record<string, unknown> = { ...given };
  const names = Object.keys(checks);
  const unknown = Object.keys(retry).find((key) => !names.includes(key));
  if (unknown !== undefined) return { found: `retry.${unknown}`, expected: `one of ${names.join(', ')}` };
  for (const [name, { holds, expected }] of Object.entries(checks)) {
    if (!holds(retry[name])) return { found: `retry.${name} ${JSON.stringify(retry[name])}`, expected };
  }
  const final = listIn(retry.on).find((code) => isOneOf(finalCodes, code));
  if (final === undefined) return undefined;
  return { found: `retry.on with ${final}`, expected: 'codes after which an attempt can follow' };
}
