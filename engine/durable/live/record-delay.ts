/**
 * How long the record of a new row waits. A row that has ended by then is recorded once, so the wait follows the lifetimes of
 * the last rows; a constant would double the writes as soon as rows last a little longer than it.
 *
 * 1. If most rows last longer than the limit, waiting saves nothing, and the shortest delay is used.
 */
import { RecentValues } from '../../platform/lib/recent-values.ts';

const MIN_DELAY_MS = 1_000;
const DELAY_LIMIT_MS = 30_000;
const FACTOR = 4;
const FREQUENT = 0.95;
/** Time for a slow pass, before another process records the row. */
const PASS_MS = 3_000;
/** Rows between two looks at the lifetimes: each write of a row asks for the delay. */
const ROWS_PER_LOOK = 32;

export class RecordDelay {
  readonly #lifetimes = new RecentValues();
  #rows = 0;
  #ms = MIN_DELAY_MS;

  /** @param ms from the creation of a row to its end */
  add(ms: number): void {
    this.#lifetimes.add(ms);
    this.#rows += 1;
    if (this.#rows % ROWS_PER_LOOK === 0) this.#ms = this.#usualMs();
  }

  get ms(): number {
    return this.#ms;
  }

  #usualMs(): number {
    const isMostlyLong = this.#lifetimes.quantile(0.5) > DELAY_LIMIT_MS;
    if (isMostlyLong) return MIN_DELAY_MS;
    return Math.min(DELAY_LIMIT_MS, Math.max(MIN_DELAY_MS, FACTOR * this.#lifetimes.quantile(FREQUENT)));
  }

  /** After this, another process records the row: this one has died. */
  get takeoverMs(): number {
    return Math.ceil(this.#ms + PASS_MS);
  }
}
