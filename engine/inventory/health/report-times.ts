/** When the reports of the daemon itself end. */
import { isoOf, now } from '../../platform/lib/clock.ts';
import { DAY_MS } from '../../vocabulary/units.ts';

/** The end of what was true at one time, such as an alert. @param at ms since the epoch */
export const dayAfter = (at: number = now()): string => new Date(at + DAY_MS).toISOString();

/**
 * The end of a report that its source repeats: the same time in a whole period, so that most repetitions change nothing, and one to
 * two periods ahead, so that the report ends without the source.
 */
export const endAfterPeriod = (periodMs: number): string | null =>
  isoOf(Math.ceil(now() / periodMs) * periodMs + periodMs);
