/**
 * Maps MongoDB's errors to ours.
 *
 * 1. No call takes longer than `DEADLINE_MS`, whatever the driver is still trying.
 * 2. A server that is down, hangs, or has no majority is UNAVAILABLE. The outcome of a write that
 *    fails so is unknown: the caller has to check.
 * 3. The driver's errors do not leave this file. They contain documents and sometimes addresses, which would be logged.
 */
import { MongoAPIError, MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { type ErrorCode, NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { withTimeout as withDeadline } from '../../vocabulary/with-timeout.ts';

/** Half a second below the 5 s after which callers time out. */
const DEADLINE_MS = 4_500;

const DUPLICATE = 11_000;

/** Stepping down, shutting down, no majority in time, timeouts: the driver's list of retryable errors. */
const AWAY = new Set([6, 7, 50, 64, 79, 89, 91, 100, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** BadValue, FailedToParse, PathNotViable, ImmutableField, an invalid regular expression, type mismatches. */
const INVALID = new Set([2, 9, 14, 28, 40, 66, 51091]);

const TOO_LARGE = new Set([10334, 17419, 17420]);

/** Unauthorized, AuthenticationFailed. */
const UNAUTHORIZED = new Set([13, 18]);

/** Removes URLs, with their passwords, and values of fields from an error message. */
const scrubText = (text: string): string =>
  text.replace(/mongodb(\+srv)?:\/\/\S*/gi, 'mongodb://…').replace(/ dup key:.*/s, '');

function consequence(error: MongoError): ErrorCode {
  const code = typeof error.code === 'number' ? error.code : undefined;
  if (error instanceof MongoWriteConcernError || isUnconfirmed(error)) return 'UNAVAILABLE';
  if (code !== undefined) return consequenceOf(code);
  // Errors without a code are the driver's own: it was used incorrectly, or has no server.
  if (error instanceof MongoAPIError && !/Closed|NotConnected/.test(error.name)) return 'INTERNAL';
  return 'UNAVAILABLE';
}

function consequenceOf(code: number): ErrorCode {
  if (AWAY.has(code)) return 'UNAVAILABLE';
  if (INVALID.has(code)) return 'INVALID';
  if (TOO_LARGE.has(code)) return 'TOO_LARGE';
  return UNAUTHORIZED.has(code) ? 'CONFIG_INVALID' : 'INTERNAL';
}

/** Whether no majority confirmed the writes, whatever other errors they have. */
const isUnconfirmed = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined;

/** Node's own errors: the driver passes on the error of a socket that ends during a write. */
const isSocketError = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(E[A-Z]+|ERR_STREAM\w+)$/.test(codeOf(thrown));

/** Converts an error of the driver to ours; other errors are returned unchanged. */
export function mongoError(what: string, thrown: unknown): unknown {
  // The BSON library throws an error of its own before anything is sent.
  if (thrown instanceof RangeError || /larger than the maximum size/.test(String(thrown)))
    return new NodewrightError('TOO_LARGE', `${what}: a document is larger than MongoDB accepts (16 MiB)`);
  if (isSocketError(thrown)) return new NodewrightError('UNAVAILABLE', `MongoDB, ${what}: the connection was lost`);
  if (!(thrown instanceof MongoError)) return thrown;
  return new NodewrightError(consequence(thrown), `MongoDB, ${what}: ${scrubText(thrown.message)}`);
}

/** @returns the server's message, which may name the index, if a key is taken; otherwise undefined */
export function duplicateKeyIn(thrown: unknown): string | undefined {
  return thrown instanceof MongoServerError && thrown.code === DUPLICATE ? thrown.message : undefined;
}

/** The server's error about one document of a bulk insert. */
export interface FailedInsert {
  isDuplicate: boolean;
  /** The server's message, which may name the index. */
  text: string;
  error: NodewrightError;
}

/** @returns the failed documents of a bulk insert, by index; undefined: it failed as a whole */
export function failedInserts(what: string, thrown: unknown): Map<number, FailedInsert> | undefined {
  if (!(thrown instanceof MongoBulkWriteError) || isUnconfirmed(thrown)) return undefined;
  const errors = [thrown.writeErrors].flat();
  if (errors.length === 0) return undefined;
  return new Map(
    errors.map(({ index, code, errmsg: text = '' }) => {
      const error = new NodewrightError(consequenceOf(code), `MongoDB, ${what}: ${scrubText(text)}`);
      return [index, { isDuplicate: code === DUPLICATE, text, error }];
    }),
  );
}

/** Runs a call of the driver with the deadline; errors are not converted. */
export const inTime = async <R>(what: string, call: () => Promise<R>): Promise<R> =>
  withDeadline(call(), DEADLINE_MS, () => {
    throw new NodewrightError('UNAVAILABLE', `MongoDB, ${what}: no answer within ${DEADLINE_MS} ms`);
  });

/** Runs a call of the driver with the deadline, and converts its errors. */
export const within = <R>(what: string, call: () => Promise<R>): Promise<R> =>
  inTime(what, call).catch((thrown) => {
    throw mongoError(what, thrown);
  });
