/**
 * Local times of IANA zones, by the zone data of Node.js (`Intl`): no library has newer data, and each brings its own copy.
 *
 * A local time is the number of ms since 1970 that it would be in UTC. A local time that does not exist, because the clock
 * skips it, is the moment of the change; of one that occurs twice, the first counts.
 */
import { DAY_MS, SECOND_MS } from '../../vocabulary/units.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
/** Zones in memory: users choose them. */
const FORMATS = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat {
  const existing = formats.get(zone);
  if (existing !== undefined) return existing;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}

/** Whether it is the name of an IANA zone: an offset such as `+01:00` is none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns the local time at a moment. @param at ms since 1970; fractions of a second are lost */
export function localTimeAt(zone: string, at: number): number {
  const fields: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) if (type !== 'literal') fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Local time minus the time in UTC, in ms. */
function offsetAt(zone: string, at: number): number {
  const wholeSecond = Math.floor(at / SECOND_MS) * SECOND_MS;
  return localTimeAt(zone, wholeSecond) - wholeSecond;
}

/** Returns the moment of a local time, in ms since 1970. */
export function momentOf(zone: string, local: number): number {
  const offsets = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)];
  const moments = offsets.map((offset) => local - offset).filter((at) => localTimeAt(zone, at) === local);
  if (moments.length > 0) return Math.min(...moments);
  return changeBetween(zone, local - Math.max(...offsets), local - Math.min(...offsets));
}

/** Returns the first second of the later offset. */
function changeBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from);
  let [early, late] = [Math.floor(from / SECOND_MS), Math.ceil(to / SECOND_MS)];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(zone, middle * SECOND_MS) === before) early = middle;
    else late = middle;
  }
  return late * SECOND_MS;
}
