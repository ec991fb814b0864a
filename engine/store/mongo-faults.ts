/**
 * What can go wrong between us and MongoDB, in our own words.
 *
 * 1. No call lasts longer than `DEADLINE_MS`, whatever the driver is still trying.
 * 2. A server that is away, hangs, or has no majority is UNAVAILABLE. A write that ends so was done or was not: whoever
 *    asked for it has to look.
 * 3. The driver's errors stay here. They carry documents and sometimes addresses, and they would end up in a log.
 */
import { MongoAPIError, MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { type ErrorCode, NodewrightError } from '../define/errors.ts';
import { within as limited } from '../define/within.ts';

/** Half a second below the 5 s after which callers give up on us. */
export const DEADLINE_MS = 4_500;

const DUPLICATE = 11_000;

/** Stepping down, shutting down, no majority in time, too long: the driver's list of what may be tried again. */
const AWAY = new Set([6, 7, 50, 64, 79, 89, 91, 100, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** BadValue, FailedToParse, PathNotViable, ImmutableField, a regular expression that is none, type mismatches. */
const INVALID = new Set([2, 9, 14, 28, 40, 66, 51091]);

const TOO_LARGE = new Set([10334, 17419, 17420]);

const REFUSED = new Set([13, 18]);

/** An error's text may hold a URL, with its password, or the value of a field. */
const scrubbed = (text: string): string =>
  text.replace(/mongodb(\+srv)?:\/\/\S*/gi, 'mongodb://…').replace(/ dup key:.*/s, '');

function consequence(error: MongoError): ErrorCode {
  const code = typeof error.code === 'number' ? error.code : undefined;
  if (error instanceof MongoWriteConcernError || unconfirmed(error) || AWAY.has(code ?? 0)) return 'UNAVAILABLE';
  if (code !== undefined) {
    if (INVALID.has(code)) return 'INVALID';
    if (TOO_LARGE.has(code)) return 'TOO_LARGE';
    return REFUSED.has(code) ? 'CONFIG_INVALID' : 'INTERNAL';
  }
  // What the driver says without the server is that it was used wrongly, or that there is no server.
  if (error instanceof MongoAPIError && !/Closed|NotConnected/.test(error.name)) return 'INTERNAL';
  return 'UNAVAILABLE';
}

/** No majority has them, whatever else went wrong with them. */
const unconfirmed = (error: MongoError): boolean =>
  error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined;

/** Node's own: a connection that ends while the driver writes to it comes as the socket says it. */
const isSocketError = (thrown: unknown): boolean =>
  thrown instanceof Error && /^(E[A-Z]+|ERR_STREAM\w+)$/.test(String((thrown as NodeJS.ErrnoException).code));

/** Anything the driver throws, as an error of ours; what is ours already stays as it is. */
export function fault(what: string, thrown: unknown): unknown {
  // The BSON library says it in an error of its own, before anything is sent.
  if (thrown instanceof RangeError || /larger than the maximum size/.test(String(thrown)))
    return new NodewrightError('TOO_LARGE', `${what}: a document is larger than MongoDB takes (16 MiB)`);
  if (isSocketError(thrown)) return new NodewrightError('UNAVAILABLE', `MongoDB, ${what}: the connection was lost`);
  if (!(thrown instanceof MongoError)) return thrown;
  return new NodewrightError(consequence(thrown), `MongoDB, ${what}: ${scrubbed(thrown.message)}`);
}

/** @returns the server's text when a key is taken, which may name the index */
export function duplicate(thrown: unknown): string | undefined {
  return thrown instanceof MongoServerError && thrown.code === DUPLICATE ? thrown.message : undefined;
}

/**
 * For what went wrong with some of many inserts.
 * @returns for each that a key refused its place and the server's text; undefined when there was more than that
 */
export function duplicates(thrown: unknown): { index: number; text: string }[] | undefined {
  if (!(thrown instanceof MongoBulkWriteError)) return undefined;
  const errors = [thrown.writeErrors].flat();
  const more = errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE);
  if (more || unconfirmed(thrown)) return undefined;
  return errors.map(({ index, errmsg = '' }) => ({ index, text: errmsg }));
}

/** Runs a call of the driver; its errors come as they are. */
export const inTime = async <R>(what: string, call: () => Promise<R>): Promise<R> =>
  limited(call(), DEADLINE_MS, () => {
    throw new NodewrightError('UNAVAILABLE', `MongoDB, ${what}: no answer within ${DEADLINE_MS} ms`);
  });

/** Runs a call of the driver; its errors come as ours. */
export const within = <R>(what: string, call: () => Promise<R>): Promise<R> =>
  inTime(what, call).catch((thrown) => {
    throw fault(what, thrown);
  });
