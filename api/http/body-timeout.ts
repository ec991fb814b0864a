/**
 * Timeouts of request bodies. Node has one limit for all requests of a server; here an upload may continue as long as
 * its bytes arrive.
 *
 * 1. A body must be complete `bodyMs` after its request began.
 * 2. An upload may pause for at most `bodyMs` at a time. All pauses together may last `bodyMs` plus one second for each
 *    `rate` bytes received, so a trickling upload ends too. The daemon's own processing time is not counted.
 * 3. A slower client gets 408, unless an answer has begun, and the connection is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { withTimeout } from '../../engine/vocabulary/with-timeout.ts';
import { bodyParts } from './body-parts.ts';

export interface BodyLimits {
  /** ms. */
  bodyMs: number;
  /** Minimum bytes per second of an upload. */
  rate: number;
}

const TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

class BodyClock {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #limits: BodyLimits;
  #timer: NodeJS.Timeout | undefined;
  /** Remaining ms for which the client may pause. */
  #left: number;
  #since = 0;
  #isOver = false;
  #lastByte = performance.now();

  constructor(req: IncomingMessage, res: ServerResponse, limits: BodyLimits) {
    this.#req = req;
    this.#res = res;
    this.#limits = limits;
    this.#left = limits.bodyMs;
    req.once('close', this.#end);
    // A rejected body that is not read to its end emits no 'close'; its connection is closed.
    res.once('close', () => (req.complete ? this.#end() : req.socket.once('close', this.#end)));
    this.wait();
  }

  /** Starts timing the client. */
  wait(): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    if (!this.#isOver) this.#timer = setTimeout(() => this.#cut(), Math.min(this.#left, this.#limits.bodyMs));
  }

  /** Stops timing the client. @param bytes received */
  countBytes(bytes: number): void {
    clearTimeout(this.#timer);
    this.#lastByte = performance.now();
    this.#left += (bytes / this.#limits.rate) * 1_000 - (this.#lastByte - this.#since);
  }

  /** ms since the client last sent data. */
  get quietMs(): number {
    return performance.now() - this.#lastByte;
  }

  readonly #end = (): void => {
    clearTimeout(this.#timer);
    this.#isOver = true;
  };

  #cut(): void {
    const { socket, complete } = this.#req;
    if (complete) return;
    if (!this.#res.headersSent && socket.writable) socket.write(TIMEOUT);
    socket.destroySoon();
  }
}

const clocks = new WeakMap<IncomingMessage, BodyClock>();

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']);

/** Call before the body is read. */
export function watchBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits): void {
  if (hasBody(req)) clocks.set(req, new BodyClock(req, res, limits));
}

/** Returns undefined for a request without a body. */
const clockOf = (req: IncomingMessage): BodyClock | undefined => clocks.get(req);

/** Yields the body as it arrives. The socket stays open, so that a rejection can still be sent mid-upload. */
export async function* receivedBytes(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  const clock = clockOf(req);
  const parts: AsyncIterator<Uint8Array> = bodyParts(req)[Symbol.asyncIterator]();
  try {
    for (;;) {
      clock?.wait();
      const { value, done = false } = await parts.next();
      clock?.countBytes(done ? 0 : value.length);
      if (done) return;
      yield value;
    }
  } finally {
    // The remaining bytes are not read.
    clock?.wait();
    await parts.return?.();
  }
}

/**
 * @param ms timeout of the answer to an upload, counted from the last byte received
 * @param late throws the timeout error
 */
export function afterLast<T>(req: IncomingMessage, work: Promise<T>, ms: number, late: () => never): Promise<T> {
  const clock = clockOf(req);
  const wait = (left: number): Promise<T> =>
    withTimeout<T, T>(work, left, () => {
      const more = ms - (clock?.quietMs ?? ms);
      return more > 0 ? wait(more) : late();
    });
  return wait(ms);
}
