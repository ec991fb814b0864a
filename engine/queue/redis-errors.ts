/**
 * Errors of Redis, fit to be shown. An answer of the server carries the command that it answers: a login with its
 * password, a job with its data. So nothing of the client's own error objects leaves these files but the message.
 */
import { NodewrightError } from '../define/errors.ts';

/** The socket's own, and those of names that cannot be resolved. */
const SOCKET =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENOTFOUND|EAI_\w+|CERT_\w+|ERR_TLS\w*|ERR_SSL\w*)$/;
/** The client's, for what a lost connection took with it, and the server's while it does not serve. */
const AWAY =
  /^(Connection is closed|Command aborted|Command timed out|Socket timeout|Reached the max retries|Stream isn't|connect ETIMEDOUT|LOADING|MASTERDOWN|NOAUTH|WRONGPASS|ERR invalid password|ERR AUTH)/;

interface Shape {
  name?: string;
  /** A number: BullMQ's. */
  code?: string | number;
  message?: string;
}

/** True for what tells only that the server cannot be reached or does not let us in. */
export function isAway(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as Shape;
  return SOCKET.test(String(code)) || AWAY.test(message);
}

const isAnswer = (error: unknown): boolean => (error as Shape | undefined)?.name === 'ReplyError';

export const reason = (error: unknown): string => {
  const { message, code } = (error ?? {}) as Shape;
  return String(message || code || error).replace(/rediss?:\/\/\S*/g, 'redis://…');
};

/** What is thrown to whoever asked for something. */
export function shown(error: unknown): unknown {
  if (isAway(error)) return new NodewrightError('UNAVAILABLE', `Redis is away (${reason(error)}); try again shortly`);
  if (isAnswer(error)) return new NodewrightError('UNAVAILABLE', `Redis refuses: ${reason(error)}`);
  return error;
}

/** After an outage: the job's lock ran out meanwhile, so that it comes once more, or it is gone already. */
const isOutrun = (error: unknown): boolean => typeof (error as Shape | undefined)?.code === 'number';

/** What is logged: an error that is not of Redis stays as it is. */
export const logged = (error: unknown): object =>
  isAway(error) || isAnswer(error) || isOutrun(error) ? { reason: reason(error) } : { err: error };
