/** Runs functions with the same key in sequence, in the given order; those with different keys run concurrently. */
export class KeyedQueues {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(run);
    const tail = turn
      .catch(() => {}) // the caller receives the error; the next function still runs
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return turn;
  }
}
