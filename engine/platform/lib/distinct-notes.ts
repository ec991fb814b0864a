/** Limits log lines that every client can cause: one for each text in a while, and no more than a number of texts. */
export class DistinctNotes {
  readonly #pauseMs: number;
  readonly #limit: number;
  readonly #now: () => number;
  /** When each was last written, the oldest first. */
  readonly #writtenAt = new Map<string, number>();
  #omitted = 0;

  /** @param pauseMs between two lines with the same text @param limit texts in that time @param now ms of a monotonic clock */
  constructor(pauseMs: number, limit: number, now: () => number = () => performance.now()) {
    this.#pauseMs = pauseMs;
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Asks for a line with this text.
   * @returns how often a text was over the limit since the last line; undefined: write none
   */
  take(text: string): number | undefined {
    const now = this.#now();
    for (const [earlier, at] of this.#writtenAt) {
      if (now - at < this.#pauseMs) break;
      this.#writtenAt.delete(earlier);
    }
    if (this.#writtenAt.has(text)) return undefined;
    if (this.#writtenAt.size >= this.#limit) {
      this.#omitted += 1;
      return undefined;
    }
    this.#writtenAt.set(text, now);
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}
