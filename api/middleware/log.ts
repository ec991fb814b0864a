/**
 * Gives each request an id and one log line, except health checks and reads of metrics. The query is omitted: it may
 * contain a token, and the path is without that of a boot image.
 */
import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { withoutNonces } from '../../engine/vocabulary/callback.ts';
import { clientAddress } from './client.ts';
import { stateOf, userOf } from './request-state.ts';

/** Request ids accepted from callers: short, and safe in a log and a header. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Their regular requests would hide all others. */
const silent = ['/healthz', '/readyz', '/metrics'];

export function requestLog(log: Logger, endpoint: Endpoint) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const given = ctx.get('x-request-id');
    const requestId = SANE.test(given) ? given : randomUUID();
    const began = performance.now();
    const state = stateOf(ctx);
    state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    const address = clientAddress(ctx, endpoint);
    await next();
    if (silent.includes(state.route ?? '')) return;
    const ms = Math.round(performance.now() - began);
    const who = { user: userOf(state), address, ...workflowIn(state.target), traceId: state.traceId };
    log.info(
      { requestId, ...who, method: ctx.method, path: withoutNonces(ctx.path.slice(0, 500)), status: ctx.status, ms },
      'request',
    );
  };
}

function workflowIn(target = ''): { workflow?: string } {
  const [kind, id] = target.split('/');
  return kind === 'workflows' && id !== undefined ? { workflow: id } : {};
}
