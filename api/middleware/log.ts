/** Gives each request an id and one log line. The query is omitted: it may contain a token. */
import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';

/** Request ids accepted from callers: short, and safe in a log and a header. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

export function requestLog(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const given = ctx.get('x-request-id');
    const requestId = SANE.test(given) ? given : randomUUID();
    const began = performance.now();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    const ms = Math.round(performance.now() - began);
    log.info({ requestId, method: ctx.method, path: ctx.path.slice(0, 500), status: ctx.status, ms }, 'request');
  };
}
