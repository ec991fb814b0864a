/** Errors that an author's code leaves to promises, which would end this process before it reports anything. */
import { firstStray, followErrors, type WithStray } from '../durable/watchdog/stray-errors.ts';

/** Runs code to its end, and returns the first error that it has left unhandled by then. Later errors are ignored. */
export const straysOf = <T>(code: () => Promise<T>): Promise<WithStray<T>> =>
  firstStray((note) => followErrors(note, code));

/** The same, and throws that error. */
export async function failOnStray<T>(code: () => Promise<T>): Promise<T> {
  const { value, stray } = await straysOf(code);
  if (stray !== undefined) throw stray;
  return value;
}
