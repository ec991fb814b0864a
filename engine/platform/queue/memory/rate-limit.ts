/** Counts the jobs that were taken in the current window of a queue's rate limit. */
export class RateLimit {
  #taken = 0;
  /** End of the window, of `performance.now()`. */
  #until = 0;

  /** Returns the ms until the end of the window if `max` jobs were taken in it, else 0. */
  remaining(max: number | undefined): number {
    const left = this.left();
    return max !== undefined && left > 0 && this.#taken >= max ? left : 0;
  }

  /** Returns the ms until the end of the window; 0 if there is none. */
  left(): number {
    return Math.max(0, Math.ceil(this.#until - performance.now()));
  }

  /** The first job begins a window. */
  count(durationMs: number): void {
    if (this.left() === 0) this.set(0, durationMs);
    this.#taken += 1;
  }

  set(taken: number, durationMs: number): void {
    this.#taken = taken;
    this.#until = performance.now() + Math.floor(Math.abs(durationMs));
  }

  /** @returns whether there was a window */
  clear(): boolean {
    const was = this.left() > 0;
    this.#until = 0;
    return was;
  }
}
