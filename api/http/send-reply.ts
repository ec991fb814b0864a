/** Sends a reply. A stream is read only as fast as the client receives it. */
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { SentReply } from './route.ts';

/** ms after which a stalled stream is closed, since it keeps a file open. */
const WRITE_TIMEOUT_MS = 60_000;

export function sendReply(ctx: Context, reply: SentReply): void {
  ctx.status = reply.status;
  // An absent body stays absent: koa would send the status text.
  ctx.body = reply.body ?? null;
  ctx.status = reply.status;
  ctx.set(reply.headers ?? {});
  if (!(reply.body instanceof Readable)) return;
  ctx.res.setTimeout(reply.stallMs ?? WRITE_TIMEOUT_MS, () => ctx.res.destroy());
}
