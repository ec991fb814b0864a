/**
 * The clock for step times and timers: ms, like `Date.now`.
 *
 * It follows the machine's clock forward but never backward: if that clock is set back, this one continues. Otherwise a
 * timer of seconds would fire an hour late after a jump back by an hour. A restart uses the machine's clock again.
 */

/** The greatest observed difference between the machine's clock and the time since the process began. */
let ahead = Number.NEGATIVE_INFINITY;

export function now(): number {
  const passed = performance.now();
  ahead = Math.max(ahead, Date.now() - passed);
  return Math.floor(ahead + passed);
}

/** More than the clocks of machines differ: such a record was written before the clock was set back, not just now. */
export const AHEAD_MS = 60_000;

/** Whether a record saved at this time is abandoned: older than `minAgeMs`, or from before the clock was set back. */
export function isAbandoned(at: string, minAgeMs: number): boolean {
  const age = now() - Date.parse(at);
  return age >= minAgeMs || age < -AHEAD_MS;
}
