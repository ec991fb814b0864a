/** Converts thrown errors to answers. The only place where errors become bodies. */
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { NodewrightError } from '../../engine/define/errors.ts';
import { MethodNotAllowed, NoSession, TooManyRequests, Unauthorized, WrongCredentials } from '../refusals.ts';

export function errors(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      if (refusal.status >= 500) log.error({ err: thrown, requestId: ctx.state.requestId }, 'request failed');
      answer(ctx, refusal);
    }
  };
}

/** An internal error discloses nothing to the client: its cause is in the log. */
function refusalOf(thrown: unknown): NodewrightError {
  if (thrown instanceof NodewrightError && (thrown.status < 500 || thrown.code === 'UNAVAILABLE')) return thrown;
  return new NodewrightError('INTERNAL', 'Internal error; see the log for this requestId');
}

function answer(ctx: Context, refusal: NodewrightError): void {
  ctx.status = refusal.status;
  // RFC 9110, 15.5.2; a scheme for which browsers do not prompt for a password.
  if (refusal.status === 401) ctx.set('WWW-Authenticate', 'JWT realm="nodewright"');
  if (refusal instanceof MethodNotAllowed) ctx.set('Allow', refusal.allow.join(', '));
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
  ctx.body = bodyOf(refusal, ctx.state.requestId as string);
}

/** Seconds: typical time until a store is available again, or until a node's mailbox has been processed. */
const SOON_SEC = 5;

function retryAfterOf(refusal: NodewrightError): number | undefined {
  if (refusal instanceof TooManyRequests) return refusal.retryAfter;
  return [429, 503].includes(refusal.status) ? SOON_SEC : undefined;
}

/** A string is sent as text. */
function bodyOf(refusal: NodewrightError, requestId: string): object | string {
  const { message, code, status, violations } = refusal;
  if (refusal instanceof Unauthorized) return { message };
  if (refusal instanceof NoSession) return {};
  if (refusal instanceof WrongCredentials) return message;
  return { message, code, status, requestId, ...(violations && { errors: violations }) };
}
