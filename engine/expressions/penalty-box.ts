/** Patterns that ran away are left alone for a while, longer each time. */
import { Lru } from '../runtime/lru.ts';

/** Patterns remembered. Who is forgotten is tried once more: that costs seconds of the thread, and nothing else. */
const REMEMBERED = 1_000;
const DOUBLINGS = 6;

interface Penalty {
  strikes: number;
  /** ms, as `performance.now`. */
  until: number;
}

export class PenaltyBox {
  readonly #penalties = new Lru<Penalty>(REMEMBERED);
  readonly #firstMs: number;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** @returns whether it is the first time */
  add(pattern: string): boolean {
    const strikes = (this.#penalties.get(pattern)?.strikes ?? 0) + 1;
    const ms = this.#firstMs * 2 ** Math.min(strikes - 1, DOUBLINGS);
    this.#penalties.set(pattern, { strikes, until: performance.now() + ms });
    return strikes === 1;
  }

  has(pattern: string): boolean {
    return (this.#penalties.get(pattern)?.until ?? 0) > performance.now();
  }
}
