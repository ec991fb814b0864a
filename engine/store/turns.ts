/**
 * One at a time, first come first served: what keeps a transaction on the one shared session to itself.
 *
 * 1. The event loop turns at least every few ms. PGlite computes in this thread and its promises need no turn to
 *    resolve, so a long row of statements would otherwise hold up every timer, socket and signal.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** A reader of the API does not notice this; and a turn of the event loop costs some us. */
const MAX_HOLD_MS = 5;

export class Turns {
  #tail: Promise<void> = Promise.resolve();
  #turnedAt = 0;

  /** Waits for the turn. @returns what ends it; call it once, whatever happened */
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
