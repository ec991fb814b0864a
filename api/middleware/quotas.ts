/**
 * Quotas of a southbound endpoint, checked before all other processing: requests per minute and concurrent requests of
 * each sender address. `/healthz` is exempt: it must answer while a sender is over its quota. Bodies are bounded where
 * they are read (`bodies-in-hand.ts`).
 */
import type { Context, Next } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { AtOnce, PerMinute, senderGroup } from '../../engine/api-port/values.ts';
import { TooManyRequests } from '../http/rejections.ts';
import { clientAddress } from './client.ts';

/** Retry-After in seconds: running requests end soon. */
const SOON = 2;

export function quotas(engine: Engine, endpoint: Endpoint) {
  const { requestsPerMinute, requestsAtOnce } = engine.config.southboundQuotas;
  const perMinute = new PerMinute(requestsPerMinute);
  const requests = new AtOnce(requestsAtOnce);
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') return next();
    const sender = senderGroup(clientAddress(ctx, endpoint));
    const wait = perMinute.take(sender);
    if (wait > 0) throw tooMany(`more than ${requestsPerMinute} requests a minute`, wait);
    const request = requests.take(sender);
    if (request === undefined) throw tooMany(`more than ${requestsAtOnce} requests at the same time`, SOON);
    ctx.res.once('close', request);
    return next();
  };
}

const tooMany = (found: string, wait: number) =>
  new TooManyRequests(`${found} (southboundQuotas); retry in ${wait} s`, wait);
