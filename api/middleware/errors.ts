/** Converts thrown errors to answers. The only place where errors become bodies. */
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { EventsGone, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { missingRightText } from '../http/missing-right.ts';
import {
  MethodNotAllowed,
  MissingPrivilege,
  NoSession,
  OverloadError,
  TooManyRequests,
  UnauthorizedError,
  WrongCredentials,
} from '../http/rejections.ts';
import { type RequestState, stateOf } from './request-state.ts';

export function errors(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const rejection = rejectionOf(thrown);
      if (rejection.status >= 500) report(log, ctx, thrown);
      answer(ctx, rejection);
    }
  };
}

/** A probe that asks whether the daemon is ready gets `no` until it is: that is no failure. */
function report(log: Logger, ctx: Context, thrown: unknown): void {
  const requestId = ctx.state.requestId;
  if (thrown instanceof OverloadError) return;
  if (ctx.path === '/readyz' && isUnavailable(thrown)) log.debug({ requestId, reason: thrown.message }, 'not ready');
  else log.error({ err: thrown, requestId }, 'request failed');
}

const isUnavailable = (thrown: unknown): thrown is NodewrightError =>
  thrown instanceof NodewrightError && thrown.code === 'UNAVAILABLE';

/** An internal error discloses nothing to the client: its cause is in the log. */
function rejectionOf(thrown: unknown): NodewrightError {
  if (thrown instanceof NodewrightError && (thrown.status < 500 || thrown.status === 503)) return thrown;
  return new NodewrightError('INTERNAL', 'Internal error; see the log for this requestId');
}

function answer(ctx: Context, rejection: NodewrightError): void {
  ctx.status = rejection.status;
  // RFC 9110, 15.5.2; a scheme for which browsers do not prompt for a password.
  if (rejection.status === 401) ctx.set('WWW-Authenticate', 'JWT realm="nodewright"');
  if (rejection instanceof MethodNotAllowed) ctx.set('Allow', rejection.allow.join(', '));
  const retryAfter = retryAfterOf(rejection);
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
  ctx.body = bodyOf(rejection, stateOf(ctx));
}

/** Seconds: typical time until a store is available again, or until a node's mailbox has been processed. */
const SOON_SEC = 5;

function retryAfterOf(rejection: NodewrightError): number | undefined {
  if (rejection instanceof TooManyRequests) return rejection.retryAfter;
  return [429, 503].includes(rejection.status) ? SOON_SEC : undefined;
}

/** A string is sent as text. */
function bodyOf(rejection: NodewrightError, { requestId, identity }: RequestState): object | string {
  const { message, code, status } = rejection;
  if (rejection instanceof UnauthorizedError) return { message };
  if (rejection instanceof NoSession) return {};
  if (rejection instanceof WrongCredentials) return message;
  const privileges = rejection instanceof MissingPrivilege && { requiredPrivileges: rejection.requiredPrivileges };
  const violations = privileges
    ? [{ path: 'privileges', message: missingRightText(identity, rejection) }]
    : rejection.violations;
  const oldest = rejection instanceof EventsGone && { oldest: rejection.oldest };
  return { message, code, status, requestId, ...privileges, ...oldest, ...(violations && { errors: violations }) };
}
