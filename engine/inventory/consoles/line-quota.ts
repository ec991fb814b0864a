/** How many lines of a machine are kept: one that writes without end fills neither the memory nor the store. Pure. */
import { nounFor } from '../../vocabulary/count-texts.ts';

/** Lines a second, on average. */
export const LINES_PER_SECOND = 200;
/** Lines that may come together, as when a kernel boots. */
const BURST = 2_000;

export class LineQuota {
  #free = BURST;
  #at: number;
  #dropped = 0;

  /** @param at ms, of the same clock as in `admits` */
  constructor(at: number) {
    this.#at = at;
  }

  /** @returns whether the line is kept; one that is not is counted */
  admits(at: number): boolean {
    this.#free = Math.min(BURST, this.#free + ((at - this.#at) / 1_000) * LINES_PER_SECOND);
    this.#at = at;
    if (this.#free < 1) {
      this.drop();
      return false;
    }
    this.#free -= 1;
    return true;
  }

  /** Counts a line for which there is no room. */
  drop(): void {
    this.#dropped += 1;
  }

  /** Returns how many lines were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

export const droppedText = (count: number): string =>
  `${count} ${nounFor(count, 'line was', 'lines were')} dropped: the machine wrote more than ${LINES_PER_SECOND} a second`;
