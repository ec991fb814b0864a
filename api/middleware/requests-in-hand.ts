/**
 * Limits the requests of nodes that a process handles concurrently. When a site gets its power back, thousands of machines boot in
 * the same minute. Without a limit each of their requests waits for all others, and so does each request of a user.
 *
 * 1. Requests over the limit wait in the order in which they came. Nothing has been done for them yet: the sender is not identified, or
 *    the request is not handled.
 * 2. Registrations have places of their own, fewer than all others: nodes whose workflows run are served before more of them begin.
 * 3. A request leaves its place while it waits for others than the stores: for its body, for a command, for a file of another host.
 * 4. One that has waited for too long gets 503, or the answer that its route has for this, and so does one that finds too many waiting.
 */
import type { Context } from 'koa';
import pLimit, { type LimitFunction } from 'p-limit';
import { OverloadError } from '../http/rejections.ts';

/** More of them do not get more done: one thread handles them. */
const PLACES = { registrations: 8, others: 24 };
/** Most that wait for a place. Each is a connection, or one of the concurrent requests of its sender. */
const MOST_WAITING = 20_000;
/** An agent waits 45 s for the answer to a poll that may wait 25 s for a command. */
const PATIENCE_MS = 10_000;

/** @param leave gives up the place before the work has ended */
type Work<T> = (leave: () => void) => Promise<T>;

/** @throws OverloadError, and the errors of the work */
export type InTurn = <T>(work: Work<T>) => Promise<T>;

export class RequestsInHand {
  readonly #registrations: LimitFunction;
  readonly #others: LimitFunction;
  readonly #patienceMs: number;

  constructor({ registrations, others } = PLACES, patienceMs = PATIENCE_MS) {
    this.#registrations = pLimit(registrations);
    this.#others = pLimit(others);
    this.#patienceMs = patienceMs;
  }

  get waitingCount(): number {
    return this.#registrations.pendingCount + this.#others.pendingCount;
  }

  /** Returns how to run each part of the handling of a request, when its turn comes. */
  turnsOf(ctx: Context, isRegistration: boolean): InTurn {
    const places = isRegistration ? this.#registrations : this.#others;
    const until = performance.now() + this.#patienceMs;
    return async (work) => {
      if (places.pendingCount >= MOST_WAITING) throw new OverloadError();
      const { result } = await places(() => {
        // A client that has hung up does not read the answer.
        if (performance.now() > until || ctx.req.socket.destroyed) throw new OverloadError();
        return untilLeft(work);
      });
      return result;
    };
  }
}

/** Resolves when the work has ended, or gives up its place. */
async function untilLeft<T>(work: Work<T>): Promise<{ result: Promise<T> }> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const result = work(leave);
  // The caller gets its error.
  await Promise.race([left, result.catch(() => undefined)]);
  return { result };
}
