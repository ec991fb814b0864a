/** Maps PostgreSQL's errors to those of the embedded database. */
import { NodewrightError } from '../define/errors.ts';
import { codeOf, messageOf } from '../define/thrown.ts';

interface DatabaseError {
  code?: string;
  severity?: string;
  message?: string;
}

/** insufficient_resources, such as a full disk; system_error, such as a disk that cannot be read or written. */
const MACHINE = /^(53|58)/;

/** Whether PostgreSQL has shut down. PGlite does not notice: the next statement would run forever. */
export const hasEnded = (thrown: unknown): boolean =>
  ['PANIC', 'FATAL'].includes((thrown as DatabaseError | undefined)?.severity ?? '');

/** data_corrupted, index_corrupted. */
export const isUnreadable = (thrown: unknown): boolean => /^XX00[12]$/.test(codeOf(thrown));

export const databaseEnded = (cause: unknown): NodewrightError => {
  const why = messageOf(cause);
  return new NodewrightError('UNAVAILABLE', `the database has ended: ${why}; fix the cause and restart`, { cause });
};

/** Returns the error unchanged, unless the machine caused it: then the operation may be retried. */
export function databaseError(thrown: unknown): unknown {
  const { code, message } = thrown as DatabaseError;
  if (typeof code !== 'string' || !MACHINE.test(code)) return thrown;
  return new NodewrightError('UNAVAILABLE', `the database: ${message}`, { cause: thrown });
}
