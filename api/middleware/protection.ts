/** Headers that every answer has, and the rejection of requests that two parties could understand otherwise. */
import type { Context, Next } from 'koa';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';

/**
 * Northbound, answers may hold tokens and records: no cache keeps one, unless its route says so. Southbound, caches may keep the
 * large files that nodes boot.
 */
export const protection =
  (routers: Endpoint['routers']) =>
  async (ctx: Context, next: Next): Promise<void> => {
    ctx.set('X-Content-Type-Options', 'nosniff');
    if (routers === 'northbound-api-router') ctx.set('Cache-Control', 'no-store');
    await next();
  };

/** A proxy may take the other one (RFC 9112, 3.2). Node.js keeps the first. */
export async function oneHost(ctx: Context, next: Next): Promise<void> {
  const hosts = ctx.req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) throw invalidInput('Host', `found ${hosts} headers, expected one`);
  await next();
}
