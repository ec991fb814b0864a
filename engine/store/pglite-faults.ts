/** What PostgreSQL's errors mean for whoever asked the embedded database. */
import { NodewrightError } from '../define/errors.ts';

interface DatabaseError {
  code?: string;
  severity?: string;
  message?: string;
}

/** insufficient_resources, such as a full disk; system_error, such as one that cannot be read or written. */
const MACHINE = /^(53|58)/;

/** PostgreSQL has ended itself. PGlite does not notice: it would compute for ever on the next statement. */
export const hasEnded = (thrown: unknown): boolean =>
  ['PANIC', 'FATAL'].includes((thrown as DatabaseError | undefined)?.severity ?? '');

/** data_corrupted, index_corrupted. */
export const isUnreadable = (thrown: unknown): boolean =>
  /^XX00[12]$/.test((thrown as DatabaseError | undefined)?.code ?? '');

export const ended = (cause: unknown): NodewrightError => {
  const why = (cause as DatabaseError).message;
  return new NodewrightError('UNAVAILABLE', `the database has ended: ${why}; mend that and start again`, { cause });
};

/** As it comes, but for what is the machine's fault: that may be tried again. */
export function fault(thrown: unknown): unknown {
  const { code, message } = thrown as DatabaseError;
  if (typeof code !== 'string' || !MACHINE.test(code)) return thrown;
  return new NodewrightError('UNAVAILABLE', `the database: ${message}`, { cause: thrown });
}
