/** Turns whatever was thrown into an answer. The only place where errors become bodies. */
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

/** A fault of ours says nothing of itself outside: its cause stands in the log. */
function refusalOf(thrown: unknown): NodewrightError {
  if (thrown instanceof NodewrightError && (thrown.status < 500 || thrown.code === 'UNAVAILABLE')) return thrown;
  return new NodewrightError('INTERNAL', 'Something went wrong here; the log tells more under this requestId');
}

function answer(ctx: Context, refusal: NodewrightError): void {
  ctx.status = refusal.status;
  // RFC 9110, 15.5.2; no scheme that browsers ask a password for.
  if (refusal.status === 401) ctx.set('WWW-Authenticate', 'JWT realm="nodewright"');
  if (refusal instanceof MethodNotAllowed) ctx.set('Allow', refusal.allow.join(', '));
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
  ctx.body = bodyOf(refusal, ctx.state.requestId as string);
}

/** Seconds: a store that is away is mostly back by then, and so is a node whose mail was not taken yet. */
const SOON_SEC = 5;

function retryAfterOf(refusal: NodewrightError): number | undefined {
  if (refusal instanceof TooManyRequests) return refusal.retryAfter;
  return [429, 503].includes(refusal.status) ? SOON_SEC : undefined;
}

/** A string goes out as text. */
function bodyOf(refusal: NodewrightError, requestId: string): object | string {
  const { message, code, status, faults } = refusal;
  if (refusal instanceof Unauthorized) return { message };
  if (refusal instanceof NoSession) return {};
  if (refusal instanceof WrongCredentials) return message;
  return { message, code, status, requestId, ...(faults && { errors: faults }) };
}
