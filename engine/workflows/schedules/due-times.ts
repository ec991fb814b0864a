/**
 * The due times of a schedule, in ms since 1970.
 *
 * 1. A cron pattern is on the clock of its zone. A library finds the local times that match, as if they were in UTC; which moments
 *    these are is said by `zone-time.ts`: a time that the clock skips is the moment of the change, and one that occurs twice
 *    is due once, at the first.
 * 2. Several local times that are one moment are one due time.
 */
import { CronExpressionParser } from 'cron-parser';
import type { When } from '../../api-port/schedules.ts';
import { isZone, localTimeAt, momentOf } from '../../platform/lib/zone-time.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { HOUR_MS, SECOND_MS } from '../../vocabulary/units.ts';

/** Times whose beginning is known. */
export type DueTimes = Exclude<When, { everySec: number }> | { everySec: number; from: string };

/** A clock is set back by less. Times before that may be on it again. */
const SET_BACK_MS = 3 * HOUR_MS;
/** Library extensions such as `L`, `H` and `#` differ from cron to cron. */
const FIELD = /^(?:[\d*,/-]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)+$/i;
const FIELDS = 5;

const cronFrom = (cron: string, local: number) =>
  CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(local) });

/** Returns the days of a month in a leap year. */
const daysIn = (month: number): number => new Date(Date.UTC(2024, month, 0)).getUTCDate();

/** Whether any of its months has any of its days. The library would search 10,000 days for one, which takes half a second. */
function hasDay(cron: string): boolean {
  const { month, dayOfMonth, dayOfWeek } = cronFrom(cron, 0).fields;
  const longest = Math.max(...month.values.map((number) => daysIn(Number(number))));
  return !dayOfWeek.isWildcard || dayOfMonth.values.some((day) => Number(day) <= longest);
}

/** Returns the first due time after a moment; undefined: there is none. */
export function dueAfter(when: DueTimes, at: number): number | undefined {
  if ('at' in when) return Date.parse(when.at) > at ? Date.parse(when.at) : undefined;
  if ('everySec' in when) {
    const [from, every] = [Date.parse(when.from), when.everySec * SECOND_MS];
    return from > at ? from : from + (Math.floor((at - from) / every) + 1) * every;
  }
  const times = cronFrom(when.cron, localTimeAt(when.zone, at));
  for (;;) {
    const due = momentOf(when.zone, times.next().getTime());
    if (due > at) return due;
  }
}

/** Yields the due times until a moment, and this included, newest first, without end for a pattern. */
export function* dueUntil(when: DueTimes, at: number): Generator<number> {
  if ('at' in when) {
    if (Date.parse(when.at) <= at) yield Date.parse(when.at);
  } else if ('everySec' in when) {
    const [from, every] = [Date.parse(when.from), when.everySec * SECOND_MS];
    for (let due = from + Math.floor((at - from) / every) * every; due >= from; due -= every) yield due;
  } else {
    const times = cronFrom(when.cron, localTimeAt(when.zone, at) + SET_BACK_MS);
    for (let later = Number.POSITIVE_INFINITY; ; ) {
      const due = momentOf(when.zone, times.prev().getTime());
      if (due > at || due === later) continue;
      yield due;
      later = due;
    }
  }
}

/** @param now a moment before it cannot be due any more */
export function dueTimesViolations(when: When, now: number): Violation[] {
  if ('at' in when)
    return Date.parse(when.at) > now
      ? []
      : [{ path: 'when.at', message: `is ${when.at}, which is over; expected a later time` }];
  if ('everySec' in when) return [];
  if (!isZone(when.zone))
    return [{ path: 'when.zone', message: `is ${when.zone}; expected an IANA zone, such as Europe/Berlin` }];
  const fields = when.cron.trim().split(/\s+/);
  if (fields.length !== FIELDS || !fields.every((field) => FIELD.test(field)))
    return [
      {
        path: 'when.cron',
        message: `is "${when.cron}"; expected minute, hour, day, month and weekday: "30 2 * * sun"`,
      },
    ];
  const never = (why: string) => [{ path: 'when.cron', message: `is "${when.cron}", which is never due: ${why}` }];
  try {
    if (!hasDay(when.cron)) return never('none of its months has such a day');
    dueAfter(when, now);
    return [];
  } catch (error) {
    return never(messageOf(error));
  }
}
