/**
 * Quotas of a southbound endpoint, checked before all other processing: requests per minute and concurrent requests of
 * each sender address, and the total bytes of bodies being read. `/healthz` is exempt: it must answer while a sender is
 * over its quota.
 */
import type { Context, Next } from 'koa';
import type { Endpoint, Engine } from '../../engine/api-port/index.ts';
import { AtOnce, PerMinute, senderGroup } from '../../engine/southbound/per-minute.ts';
import { TooManyRequests } from '../rejections.ts';
import { clientAddress } from './client.ts';

/** Bodies up to this many bytes are not counted. */
const SMALL = 64 * 1_024;
/** Bytes counted for a body of unknown length: the maximum of any route. */
const UNSAID = 8 * 1_024 * 1_024;
/** Retry-After in seconds: running requests end soon. */
const SOON = 2;

export function quotas(engine: Engine, endpoint: Endpoint) {
  const { requestsPerMinute, requestsAtOnce, bodyBytesAtOnce } = engine.config.southboundQuotas;
  const perMinute = new PerMinute(requestsPerMinute);
  const requests = new AtOnce(requestsAtOnce);
  const bytes = new AtOnce(bodyBytesAtOnce);
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') return next();
    const sender = senderGroup(clientAddress(ctx, endpoint));
    const wait = perMinute.take(sender);
    if (wait > 0) throw tooMany(`more than ${requestsPerMinute} requests a minute`, wait);
    const request = requests.take(sender);
    if (request === undefined) throw tooMany(`more than ${requestsAtOnce} requests at once`, SOON);
    ctx.res.once('close', request);
    const length = lengthOf(ctx);
    const body = bytes.take('', length > SMALL ? length : 0);
    if (body === undefined) throw tooMany(`bodies of more than ${bodyBytesAtOnce} bytes at once, of all senders`, SOON);
    ctx.res.once('close', body);
    return next();
  };
}

function lengthOf(ctx: Context): number {
  if (ctx.get('transfer-encoding') !== '') return UNSAID;
  const length = Number(ctx.get('content-length'));
  // A longer body is rejected by its route without being read.
  return Number.isFinite(length) ? Math.min(length, UNSAID) : 0;
}

const tooMany = (found: string, wait: number) =>
  new TooManyRequests(`${found} (southboundQuotas); retry in ${wait} s`, wait);
