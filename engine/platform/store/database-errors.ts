/** Maps SQLite's errors to those of the embedded database. */
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf, messageOf } from '../../vocabulary/thrown-values.ts';
import { damagedError } from './data-dir.ts';

/** An error as the database's thread sends it. */
export interface ThreadError {
  code?: string;
  message: string;
}

const UNREADABLE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether a part of the database is damaged. */
export const isUnreadable = (thrown: unknown): boolean => UNREADABLE.test(codeOf(thrown));

export const databaseEnded = (cause: unknown): NodewrightError => {
  const why = messageOf(cause);
  return new NodewrightError('UNAVAILABLE', `the database has ended: ${why}; fix the cause and restart`, { cause });
};

/** An error when the database is opened. */
export function notOpened(dataDir: string, cause: ThreadError): NodewrightError {
  if (cause.code === 'SQLITE_BUSY') {
    const message = `${dataDir}: another program has its database open, expected none; close it`;
    return new NodewrightError('DATA_DIR_LOCKED', message, { cause });
  }
  return damagedError(dataDir, `its database cannot be opened (${cause.message})`, cause);
}

/** An error of one request: of the disk, which may be temporary, of the file, or of the statement. */
export function databaseError(dataDir: string, cause: ThreadError): Error {
  if (cause.code === 'SQLITE_FULL') {
    const message = `the database: ${cause.message}; free some space`;
    return new NodewrightError('UNAVAILABLE', message, { cause });
  }
  if (isUnreadable(cause)) return damagedError(dataDir, `its database cannot be read (${cause.message})`, cause);
  return Object.assign(new Error(cause.message), { code: cause.code });
}
