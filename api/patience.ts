/**
 * How long a client may take over a body. Node has one limit for all requests of a server; here an upload may take as
 * long as its bytes keep coming.
 *
 * 1. A body has to be there `bodyMs` after its request began.
 * 2. An upload may keep the daemon waiting for `bodyMs` at a time, and altogether for that and a second for each `rate`
 *    bytes that came: so one that only drips ends, too. What the daemon itself takes meanwhile does not count.
 * 3. Who takes longer is told 408, unless an answer has begun, and the connection is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { within } from '../engine/define/within.ts';

export interface BodyLimits {
  /** ms. */
  bodyMs: number;
  /** Bytes in a second, the least that an upload may bring. */
  rate: number;
}

const TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

export class BodyClock {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #limits: BodyLimits;
  #timer: NodeJS.Timeout | undefined;
  /** ms that the client may still keep us waiting. */
  #left: number;
  #since = 0;
  #lastByte = performance.now();

  constructor(req: IncomingMessage, res: ServerResponse, limits: BodyLimits) {
    this.#req = req;
    this.#res = res;
    this.#limits = limits;
    this.#left = limits.bodyMs;
    req.once('close', () => clearTimeout(this.#timer));
    this.wait();
  }

  /** It is the client's turn. */
  wait(): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    if (!this.#req.closed) this.#timer = setTimeout(() => this.#cut(), Math.min(this.#left, this.#limits.bodyMs));
  }

  /** It is the daemon's turn. @param bytes that came */
  got(bytes: number): void {
    clearTimeout(this.#timer);
    this.#lastByte = performance.now();
    this.#left += (bytes / this.#limits.rate) * 1_000 - (this.#lastByte - this.#since);
  }

  /** ms since the client brought something. */
  get quietMs(): number {
    return performance.now() - this.#lastByte;
  }

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

/** Before anything is read of it. */
export function watchBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits): void {
  if (hasBody(req)) clocks.set(req, new BodyClock(req, res, limits));
}

/** undefined: it has no body. */
const clockOf = (req: IncomingMessage): BodyClock | undefined => clocks.get(req);

/** What an upload brings, as it comes; the request stays whole, so that who is refused in the middle can be told. */
export async function* received(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  const clock = clockOf(req);
  const parts: AsyncIterator<Uint8Array> = req.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      clock?.wait();
      const { value, done = false } = await parts.next();
      clock?.got(done ? 0 : value.length);
      if (done) return;
      yield value;
    }
  } finally {
    // Of what is still sent nobody takes anything.
    clock?.wait();
    await parts.return?.();
  }
}

/**
 * @param ms that the answer to an upload may take, from the last byte that came
 * @param late throws what is said instead
 */
export function afterLast<T>(req: IncomingMessage, work: Promise<T>, ms: number, late: () => never): Promise<T> {
  const clock = clockOf(req);
  const wait = (left: number): Promise<T> =>
    within<T, T>(work, left, () => {
      const more = ms - (clock?.quietMs ?? ms);
      return more > 0 ? wait(more) : late();
    });
  return wait(ms);
}
