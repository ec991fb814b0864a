/** Errors that an author's code leaves to promises, which would end this process before it reports anything. */
import { setImmediate } from 'node:timers/promises';
import { followErrors } from '../durable/watchdog/stray-errors.ts';

/** Runs code to its end, and returns the first error that it has left unhandled by then. Later errors are ignored. */
export async function straysOf<T>(code: () => Promise<T>): Promise<{ value: T; stray?: Error }> {
  let stray: Error | undefined;
  const value = await followErrors((error) => {
    stray ??= error;
  }, code);
  // Node.js reports a promise that is rejected now after all others have settled.
  await setImmediate();
  return stray === undefined ? { value } : { value, stray };
}

/** The same, and throws that error. */
export async function failOnStray<T>(code: () => Promise<T>): Promise<T> {
  const { value, stray } = await straysOf(code);
  if (stray !== undefined) throw stray;
  return value;
}
