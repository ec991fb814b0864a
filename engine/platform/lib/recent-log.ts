/** The newest lines that this process logged, for the archive for support. Bounded in lines and in their length. */

const LINES_KEPT = 2_000;
const LINE_LIMIT = 4_000;

class RecentLog {
  #lines: string[] = [];

  /** @returns the line, unchanged */
  note(line: string): string {
    this.#lines.push(line.trimEnd().slice(0, LINE_LIMIT));
    // Rarely, because it copies them.
    if (this.#lines.length >= 2 * LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT);
    return line;
  }

  /** Oldest first. */
  lines(): readonly string[] {
    return this.#lines.slice(-LINES_KEPT);
  }
}

/** The log of this process. */
export const recentLog = new RecentLog();
