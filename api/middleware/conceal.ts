/**
 * Removes secrets from every answer of an endpoint: encrypted values and, northbound, users and passwords in URLs. It
 * works on the final text, so it covers all routes. Streams are files of users and are sent unchanged.
 */
import type { Context, Next } from 'koa';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { shownText } from '../../engine/vocabulary/conceal.ts';
import { hideEncrypted } from '../../engine/vocabulary/encrypted-values.ts';

export function concealReply(routers: Endpoint['routers']) {
  // Southbound, commands and scripts contain URLs that nodes have to call.
  const shown = routers === 'northbound-api-router' ? shownText : hideEncrypted;
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    const { body } = ctx;
    if (typeof body === 'string') ctx.body = shown(body);
    // The content type stays JSON.
    else if (isJson(body)) ctx.body = shown(JSON.stringify(body));
  };
}

const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && (Array.isArray(body) || body.constructor === Object);
