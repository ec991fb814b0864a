/**
 * The time by which steps are dated and timers come due: ms, as `Date.now`.
 *
 * It follows the machine's clock forward but never back: when that is set back, it goes on from where it was. Otherwise
 * a timer of seconds would come an hour late after an hour's jump. A new start takes the machine's clock as it is.
 */

/** How far the machine's clock has ever been ahead of the time since the process began. */
let ahead = Number.NEGATIVE_INFINITY;

export function now(): number {
  const passed = performance.now();
  ahead = Math.max(ahead, Date.now() - passed);
  return Math.floor(ahead + passed);
}
