/**
 * Makes errors of Redis safe to show. An error reply contains its command: a login with its password, or a job with its
 * data. Only the message of the client's error objects therefore leaves these files.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf, fieldOf } from '../../vocabulary/thrown-values.ts';

/** Codes of the socket and of name resolution. */
const SOCKET =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENOTFOUND|EAI_\w+|CERT_\w+|ERR_TLS\w*|ERR_SSL\w*)$/;
/** Messages of the client about a lost connection, and of a server that is not ready. */
const AWAY =
  /^(Connection is closed|Command aborted|Command timed out|Socket timeout|Reached the max retries|Stream isn't|connect ETIMEDOUT|LOADING|MASTERDOWN|READONLY|UNBLOCKED|NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/;

/** Whether the error only means that the server is unreachable or denies access. */
export function isAway(error: unknown): boolean {
  return SOCKET.test(codeOf(error)) || AWAY.test(String(fieldOf(error, 'message') ?? ''));
}

const isAnswer = (error: unknown): boolean => fieldOf(error, 'name') === 'ReplyError';

export const reason = (error: unknown): string => {
  return String(fieldOf(error, 'message') || fieldOf(error, 'code') || error).replace(/rediss?:\/\/\S*/g, 'redis://…');
};

/** Returns the error for callers. */
export function shownError(error: unknown): unknown {
  if (isAway(error)) return new NodewrightError('UNAVAILABLE', `Redis is away (${reason(error)}); try again shortly`);
  if (isAnswer(error)) return new NodewrightError('UNAVAILABLE', `Redis answered with an error: ${reason(error)}`);
  return error;
}

/** Whether a job's lock expired during an outage: the job runs once more, or is already gone. */
const isOutrun = (error: unknown): boolean => typeof fieldOf(error, 'code') === 'number';

/** Returns the fields to log; errors that are not of Redis are logged unchanged. */
export const logFields = (error: unknown): object =>
  isAway(error) || isAnswer(error) || isOutrun(error) ? { reason: reason(error) } : { err: error };
