/**
 * Wrong passwords, counted for each user and each address over the last minute. Kept in this process: a client that
 * spreads over several daemons gets that many times the attempts, which still is far too few to guess a password.
 *
 * 1. Counted when the password turned out wrong, asked before and after the check: so many guesses sent at once
 *    gain nothing, and right passwords sent at once do not count.
 * 2. At most `CAPACITY` names are remembered, and none for longer than it counts; the oldest goes first.
 */
import { TooManyRequests } from './refusals.ts';

const WINDOW_MS = 60_000;
const LIMIT = 10;
const CAPACITY = 10_000;

export class Attempts {
  /** Times of the wrong passwords by key, oldest first; the map itself is ordered by when a key last failed. */
  readonly #wrong = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws TooManyRequests when one of the keys failed too often */
  refuseTooMany(keys: readonly string[]): void {
    for (const key of keys) {
      const recent = this.#recent(key);
      const oldest = recent.at(-LIMIT);
      if (oldest === undefined) continue;
      const wait = Math.max(1, Math.ceil((oldest + WINDOW_MS - this.#now()) / 1000));
      throw new TooManyRequests(`Too many wrong passwords; try again in ${wait} s`, wait);
    }
  }

  countWrong(keys: readonly string[]): void {
    for (const key of keys) {
      const times = [...this.#recent(key), this.#now()].slice(-LIMIT);
      this.#wrong.delete(key);
      this.#wrong.set(key, times);
    }
    for (const oldest of this.#wrong.keys()) {
      if (this.#wrong.size <= CAPACITY && this.#recent(oldest).length > 0) break;
      this.#wrong.delete(oldest);
    }
  }

  /** How many names are remembered. */
  get size(): number {
    return this.#wrong.size;
  }

  #recent(key: string): number[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#wrong.get(key) ?? []).filter((at) => at > since);
  }
}
