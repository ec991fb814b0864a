/**
 * An answer to a request whose body has not arrived completely. To close a connection with unread bytes resets it, and the
 * sender may lose the answer. So the answer is sent, then a bounded part of the body is read and dropped, then the
 * connection is closed.
 */
import type { IncomingMessage } from 'node:http';
import { Readable, Stream } from 'node:stream';
import type { Context, Next } from 'koa';
import { MIB } from '../../engine/vocabulary/units.ts';
import { withTimeout } from '../../engine/vocabulary/with-timeout.ts';

/** More than most bodies have. */
const DROPPED_BYTES = 16 * MIB;
/** A busy machine reads the rest of many bodies in some seconds; a connection that is closed before loses the answer. */
const DROPPED_MS = 15_000;
/** ms between two parts of a body: those of sixty senders must not keep the process busy. */
const READ_PAUSE_MS = 20;

export async function answerUnread(ctx: Context, next: Next): Promise<void> {
  await next();
  const { body, req } = ctx;
  if (req.complete || req.destroyed || body instanceof Stream || body === undefined || body === null) return;
  const answer = Buffer.from(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  ctx.set('Connection', 'close');
  ctx.body = Readable.from(answerFirst(answer, req), { objectMode: false });
  // The sender knows where the answer ends.
  ctx.length = answer.length;
}

async function* answerFirst(answer: Buffer, req: IncomingMessage): AsyncGenerator<Buffer> {
  yield answer;
  let left = DROPPED_BYTES;
  const dropped = new Promise<void>((resolve) => {
    req.once('close', resolve).once('end', resolve);
    req.on('data', ({ length }: Buffer) => {
      left -= length;
      if (left < 0) return resolve();
      req.pause();
      setTimeout(() => req.resume(), READ_PAUSE_MS);
    });
  });
  await withTimeout(dropped, DROPPED_MS, () => undefined);
  req.pause();
}
