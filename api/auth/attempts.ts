/**
 * Wrong passwords, counted for each user and each address (of IPv6, each /64) over the last minute. The counts are local to a daemon: a
 * client that uses several daemons gets that many times the attempts, which still is far too few to guess a password.
 *
 * 1. An attempt is counted when the password proves wrong. The limit is checked before and after the password: parallel
 *    guesses gain nothing, and parallel correct passwords are not counted.
 * 2. At most `CAPACITY` names are remembered, none for longer than the window; the oldest is dropped first.
 */
import type { Engine } from '../../engine/api-port/index.ts';
import { TooManyRequests } from '../http/rejections.ts';

const WINDOW_MS = 60_000;
const MAX_ATTEMPTS = 10;
const CAPACITY = 10_000;

const ofEngines = new WeakMap<Engine, Attempts>();

/** Shared by all endpoints of a daemon, so that an attacker gains nothing by changing the endpoint. */
export function attemptsOn(engine: Engine): Attempts {
  const attempts = ofEngines.get(engine) ?? new Attempts();
  ofEngines.set(engine, attempts);
  return attempts;
}

export class Attempts {
  /** Times of wrong passwords by key, oldest first; the map is ordered by the last failure of each key. */
  readonly #wrong = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws TooManyRequests when one of the keys has failed too often */
  rejectTooMany(keys: readonly string[]): void {
    for (const key of keys) {
      const recent = this.#recentTimes(key);
      const oldest = recent.at(-MAX_ATTEMPTS);
      if (oldest === undefined) continue;
      const wait = Math.max(1, Math.ceil((oldest + WINDOW_MS - this.#now()) / 1000));
      throw new TooManyRequests(`Too many wrong passwords; retry in ${wait} s`, wait);
    }
  }

  countWrong(keys: readonly string[]): void {
    for (const key of keys) {
      const times = [...this.#recentTimes(key), this.#now()].slice(-MAX_ATTEMPTS);
      this.#wrong.delete(key);
      this.#wrong.set(key, times);
    }
    for (const oldest of this.#wrong.keys()) {
      if (this.#wrong.size <= CAPACITY && this.#recentTimes(oldest).length > 0) break;
      this.#wrong.delete(oldest);
    }
  }

  /** Number of remembered names. */
  get size(): number {
    return this.#wrong.size;
  }

  #recentTimes(key: string): number[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#wrong.get(key) ?? []).filter((at) => at > since);
  }
}
