/** One at a time, first come first served: what keeps a transaction on the one shared session to itself. */
export class Turns {
  #tail: Promise<void> = Promise.resolve();

  /** Waits for the turn. @returns what ends it; call it once, whatever happened */
  async take(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = withResolvers();
    this.#tail = promise;
    await before;
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
