/**
 * Runs the items of one key in groups, in their order: those that arrive while a group runs are the next one. Different keys
 * run concurrently.
 */
interface NextGroup<T, R> {
  items: T[];
  result: Promise<R>;
}

export class KeyedGroups<T, R> {
  readonly #run: (key: string, items: readonly T[]) => Promise<R>;
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, NextGroup<T, R>>();

  constructor(run: (key: string, items: readonly T[]) => Promise<R>) {
    this.#run = run;
  }

  /** @returns what the group of the item returns, or throws */
  add(key: string, item: T): Promise<R> {
    const next = this.#next.get(key);
    if (next !== undefined) {
      next.items.push(item);
      return next.result;
    }
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, [item]);
    const items = [item];
    const result = running.then(() => {
      this.#next.delete(key);
      return this.#start(key, items);
    });
    this.#next.set(key, { items, result });
    return result;
  }

  #start(key: string, items: readonly T[]): Promise<R> {
    const result = this.#run(key, items);
    const running = result
      .catch(() => {}) // the caller receives the error; the next group still runs
      .then(() => {
        if (this.#running.get(key) === running) this.#running.delete(key);
      });
    this.#running.set(key, running);
    return result;
  }
}
