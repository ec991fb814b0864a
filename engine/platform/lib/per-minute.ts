/**
 * Counters for the southbound quotas. They are local to a process, so each daemon allows the full quota, and bounded:
 * only the most recent keys are remembered, and a forgotten key starts anew.
 */
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../vocabulary/units.ts';

const COUNTED_KEYS = 10_000;

interface Level {
  /** The used part of the quota. */
  used: number;
  at: number;
}

/** A quota that refills continuously: all of it may be used immediately, and again within the next minute. */
export class PerMinute {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #levels: LRUCache<string, Level>;

  constructor(limit: number, now: () => number = () => performance.now(), keys = COUNTED_KEYS) {
    this.#limit = limit;
    this.#now = now;
    // With `max`, it would allocate all of them now.
    this.#levels = new LRUCache({ maxSize: keys, sizeCalculation: () => 1 });
  }

  /** @returns 0 when accepted; otherwise the seconds to wait */
  take(key = ''): number {
    const used = this.#usedBy(key);
    if (used + 1 > this.#limit)
      return Math.max(1, Math.ceil((((used + 1 - this.#limit) / this.#limit) * MINUTE_MS) / 1_000));
    this.#levels.set(key, { used: used + 1, at: this.#now() });
    return 0;
  }

  /** Returns an unneeded unit to the quota. */
  refund(key = ''): void {
    this.#levels.set(key, { used: Math.max(0, this.#usedBy(key) - 1), at: this.#now() });
  }

  #usedBy(key: string): number {
    const { used, at } = this.#levels.get(key) ?? { used: 0, at: this.#now() };
    return Math.max(0, used - ((this.#now() - at) / MINUTE_MS) * this.#limit);
  }
}

/** A quota of concurrent operations. */
export class AtOnce {
  readonly #limit: number;
  readonly #used = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns undefined when over the quota; otherwise a function to call at the end of the operation */
  take(key = '', amount = 1): (() => void) | undefined {
    const used = this.#used.get(key) ?? 0;
    if (used + amount > this.#limit) return undefined;
    this.#used.set(key, used + amount);
    return () => {
      const newCount = (this.#used.get(key) ?? 0) - amount;
      if (newCount > 0) this.#used.set(key, newCount);
      else this.#used.delete(key);
    };
  }

  get size(): number {
    return this.#used.size;
  }
}

/**
 * Returns the key by which a sender is counted: for IPv6 its /64 network, since a machine owns all of its addresses.
 */
export function senderGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const rest = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
