/** Runs what has the same key one after the other, in the order given; what has different keys runs side by side. */
export class Keyed {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(run);
    const tail = turn
      .catch(() => {}) // whoever called hears of it; the next in line is not touched
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return turn;
  }
}
