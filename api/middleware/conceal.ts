/**
 * The exit of an endpoint: no answer leaves with a sealed value in it, nor, where users ask, with a user or a password in a
 * URL. It works on the text that goes out, so it does not matter which route made it. Streams are files of users, as they put them.
 */
import type { Context, Next } from 'koa';
import type { Endpoint } from '../../engine/api-port/index.ts';
import { shownText } from '../../engine/define/conceal.ts';
import { hideSealed } from '../../engine/define/sealed.ts';

export function conceal(routers: Endpoint['routers']) {
  // Nodes are given commands and scripts with the URLs that they have to call.
  const shown = routers === 'northbound-api-router' ? shownText : hideSealed;
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    const { body } = ctx;
    if (typeof body === 'string') ctx.body = shown(body);
    // Its type stays that of JSON.
    else if (isJson(body)) ctx.body = shown(JSON.stringify(body));
  };
}

const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && (Array.isArray(body) || body.constructor === Object);
