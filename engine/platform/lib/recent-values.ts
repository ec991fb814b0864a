/** The last values of a measurement, such as times in ms: limits that follow what was observed are derived from them. */
const COUNT = 256;

export class RecentValues {
  readonly #values = new Float64Array(COUNT);
  #count = 0;

  add(value: number): void {
    this.#values[this.#count++ % COUNT] = value;
  }

  /** @param share of the values that are at most as large; 0.5 is the median @returns 0 before the first value */
  quantile(share: number): number {
    const sorted = this.#values.slice(0, Math.min(this.#count, COUNT)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }
}
