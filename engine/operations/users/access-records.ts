/** Keeps what requests have read of users, roles and tokens, until one of them changes (`platform/cluster/epoch.ts`). */
import { LRUCache } from 'lru-cache';
import type { Access } from '../../api-port/index.ts';
import { type Epoch, KEPT_MS } from '../../platform/cluster/epoch.ts';

interface Reading {
  epoch: string;
  /** When it began; ms of the monotonic clock. */
  at: number;
  result: Promise<object | undefined>;
}

/** Tokens in use; a forgotten one is read again. */
const READINGS = 10_000;

export class AccessRecords implements Access {
  readonly #epoch: Epoch;
  // With `max`, it would allocate all of them now.
  readonly #readings = new LRUCache<string, Reading>({ maxSize: READINGS, sizeCalculation: () => 1 });

  constructor(epoch: Epoch) {
    this.#epoch = epoch;
  }

  async recall<T extends object>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const at = performance.now();
    const epoch = await this.#epoch.read();
    if (epoch === undefined) return read();
    const earlier = this.#readings.get(key);
    if (earlier?.epoch === epoch && at - earlier.at < KEPT_MS) return earlier.result as Promise<T | undefined>;
    const reading = { epoch, at, result: read() };
    this.#readings.set(key, reading);
    try {
      const result = await reading.result;
      if (result === undefined) this.#forget(key, reading);
      return result;
    } catch (error) {
      this.#forget(key, reading);
      throw error;
    }
  }

  #forget(key: string, reading: Reading): void {
    if (this.#readings.get(key) === reading) this.#readings.delete(key);
  }
}
