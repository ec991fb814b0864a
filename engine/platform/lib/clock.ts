/**
 * The clock for step times and timers: ms, like `Date.now`.
 *
 * It follows the machine's clock forward but never backward: if that clock is set back, this one continues. Otherwise a
 * timer of seconds would fire an hour late after a jump back by an hour. A restart uses the machine's clock again.
 *
 * With services it follows the clock of Redis instead, so that all processes have one time, whatever their machines have.
 */

/** The greatest observed difference between the clock that is followed and the time since the process began. */
let ahead = Number.NEGATIVE_INFINITY;
let isShared = false;

export function now(): number {
  const passed = performance.now();
  if (!isShared) ahead = Math.max(ahead, Date.now() - passed);
  return Math.floor(ahead + passed);
}

/** Follows a clock that other processes share. Call it every few seconds. @param time ms, received a moment ago */
export function follow(time: number): void {
  const difference = time - performance.now();
  ahead = isShared ? Math.max(ahead, difference) : difference;
  isShared = true;
}

/** Follows the machine's clock again, as a process that has just begun. */
export function followMachine(): void {
  ahead = Number.NEGATIVE_INFINITY;
  isShared = false;
}

/** More than the clocks of machines differ: such a record was written before the clock was set back, not just now. */
export const AHEAD_MS = 60_000;

/** Whether a record saved at this time is abandoned: older than `minAgeMs`, or from before the clock was set back. */
export function isAbandoned(at: string, minAgeMs: number): boolean {
  const age = now() - Date.parse(at);
  return age >= minAgeMs || age < -AHEAD_MS;
}

/** Returns a time in ISO 8601. @param time ms since the epoch; null: none */
export const isoOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
