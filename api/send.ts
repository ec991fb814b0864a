/** Sends a reply. Of a stream no more is read than the client takes. */
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Reply } from './route.ts';

/** ms in which a client has to take something of a stream: it holds a file open. */
const STALL_MS = 60_000;

export function send(ctx: Context, reply: Reply): void {
  ctx.status = reply.status;
  // An absent body stays absent: koa would fill in the status text.
  ctx.body = reply.body ?? null;
  ctx.status = reply.status;
  ctx.set(reply.headers ?? {});
  if (reply.body instanceof Readable) ctx.res.setTimeout(STALL_MS, () => ctx.res.destroy());
}
