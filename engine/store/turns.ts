/**
 * A fair mutex, first come first served: gives a transaction exclusive use of the one shared session.
 *
 * 1. The event loop turns at least every few ms. PGlite computes in this thread and its promises resolve without a
 *    turn, so a long series of statements would otherwise delay every timer, socket and signal.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** Clients of the API do not notice this delay; a turn of the event loop costs some us. */
const MAX_HOLD_MS = 5;

export class Turns {
  #tail: Promise<void> = Promise.resolve();
  #turnedAt = 0;

  /** Waits for the turn. @returns releases the turn; must be called exactly once */
  async take(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = withResolvers();
    this.#tail = promise;
    await before;
    if (performance.now() - this.#turnedAt > MAX_HOLD_MS) {
      await eventLoopTurn();
      this.#turnedAt = performance.now();
    }
    return resolve;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.take();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
