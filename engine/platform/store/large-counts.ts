/**
 * Counts of many matches, which are kept for a moment: a store reads an entry of an index for each match, and every list that
 * is shown asks for its count again and again.
 */
import { LRUCache } from 'lru-cache';
import type { Filter } from './port.ts';

/** Fewer are counted in a few milliseconds, and are exact. */
const MANY = 10_000;
/** ms by which a count may be old. */
const STALE_MS = 1_000;
const MOST_FILTERS = 100;

export class LargeCounts {
  readonly #counts = new LRUCache<string, number>({ max: MOST_FILTERS, ttl: STALE_MS });

  /** @param count counts the matches of the filter */
  async of(filter: Filter, count: () => Promise<number>): Promise<number> {
    const key = JSON.stringify(filter);
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const counted = await count();
    if (counted > MANY) this.#counts.set(key, counted);
    return counted;
  }
}
