/**
 * The state of a window at a moment, from its spans and closures alone.
 *
 * 1. A span is on the clock of its zone: one that a change of that clock cuts is as much shorter or longer. It begins and ends
 *    at the change if the clock skips its time, and at the first of two.
 * 2. Spans that overlap or meet are one opening. A closure within an opening leaves two.
 * 3. A window that is open for more than a year is said not to close.
 */
import type { WindowState, WindowTimes } from '../../api-port/windows.ts';
import { localTimeAt, momentOf } from '../../platform/lib/zone-time.ts';
import { DAY_MS, MINUTE_MS } from '../../vocabulary/units.ts';
import { type Weekday, weekdays } from '../../vocabulary/weekdays.ts';

const HORIZON_DAYS = 400;
const ENDLESS_DAYS = 380;
/** A span that is open now began up to two local days ago; a change of the clock, or of the date line, moves it by one more. */
const DAYS_BEFORE = 3;

/** From a moment to another, which does not belong to it, in ms since 1970. */
interface Opening {
  from: number;
  to: number;
}

/** @param at ms since 1970 */
export function windowState(window: WindowTimes, at: number): WindowState {
  const openings = openingsOf(window, at);
  const first = openings.next().value;
  if (first === undefined || first.from > at) return { open: false, next: shownOpening(first) };
  return { open: true, closesAt: closingOf(first), next: shownOpening(openings.next().value) };
}

/** Yields the openings between two moments, in ms since 1970, also one that has begun before. */
export function* openingsBetween(window: WindowTimes, from: number, to: number) {
  for (const opening of openingsOf(window, from)) {
    if (opening.from >= to) return;
    yield { from: isoTime(opening.from), to: closingOf(opening) };
  }
}

/** Returns the first openings that are not over at a moment, in ms since 1970. */
export function firstOpenings(window: WindowTimes, at: number, most: number): NonNullable<WindowState['next']>[] {
  const first: NonNullable<WindowState['next']>[] = [];
  for (const opening of openingsOf(window, at)) {
    if (first.push(shownTimes(opening)) === most) break;
  }
  return first;
}

const shownOpening = (opening: Opening | undefined): WindowState['next'] =>
  opening === undefined ? null : shownTimes(opening);

const shownTimes = (opening: Opening) => ({ opensAt: isoTime(opening.from), closesAt: closingOf(opening) });

const isoTime = (at: number): string => new Date(at).toISOString();

const closingOf = ({ to }: Opening): string | null => (to === Number.POSITIVE_INFINITY ? null : isoTime(to));

/** Yields the openings that are not over at a moment, in their order, as far as the horizon. */
function* openingsOf(window: WindowTimes, at: number): Generator<Opening, undefined> {
  let open: Opening | undefined;
  for (const part of partsOf(window, at)) {
    if (open !== undefined && part.from <= open.to) {
      open = { from: open.from, to: Math.max(open.to, part.to) };
      continue;
    }
    if (open !== undefined && open.to > at) yield open;
    open = part;
  }
  if (open === undefined || open.to <= at) return;
  const isEndless = open.to - Math.max(open.from, at) > ENDLESS_DAYS * DAY_MS;
  yield isEndless ? { from: open.from, to: Number.POSITIVE_INFINITY } : open;
}

/** Yields what is left of the spans, in the order of their beginnings. */
function* partsOf(window: WindowTimes, at: number): Generator<Opening> {
  const closures = closuresOf(window);
  const today = dayOf(localTimeAt(window.zone, at));
  let waiting: Opening[] = [];
  let horizon = today + HORIZON_DAYS * DAY_MS;
  for (let day = today - DAYS_BEFORE * DAY_MS; day < horizon; day += DAY_MS) {
    const closedUntil = longClosureAt(closures, day);
    if (closedUntil !== undefined) {
      // Years may be closed.
      day = dayOf(closedUntil) - DAYS_BEFORE * DAY_MS;
      horizon = day + HORIZON_DAYS * DAY_MS;
    }
    waiting.push(...spansOn(window, day).flatMap((span) => withoutClosures(span, closures)));
    waiting.sort((one, other) => one.from - other.from);
    // A span of a later day begins later than these, whatever the clock does.
    const isSettled = ({ from }: Opening) => from < day - DAY_MS;
    yield* waiting.filter(isSettled);
    waiting = waiting.filter((part) => !isSettled(part));
  }
  yield* waiting;
}

const dayOf = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS;

/** Returns the closures, those that overlap or meet as one, in their order. */
function closuresOf({ closed }: WindowTimes): Opening[] {
  const sorted = closed
    .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }))
    .sort((one, other) => one.from - other.from);
  const all: Opening[] = [];
  for (const closure of sorted) {
    const last = all.at(-1);
    if (last !== undefined && closure.from <= last.to) last.to = Math.max(last.to, closure.to);
    else all.push(closure);
  }
  return all;
}

/** @returns the end of a closure in which the day and all days near it lie */
function longClosureAt(all: readonly Opening[], day: number): number | undefined {
  const margin = 2 * DAYS_BEFORE * DAY_MS;
  return all.find(({ from, to }) => from < day - margin && to > day + 2 * margin)?.to;
}

/** Returns the spans that begin on a local day. */
function spansOn({ zone, spans }: WindowTimes, day: number): Opening[] {
  const weekday = weekdays[new Date(day).getUTCDay()] as Weekday;
  return spans
    .filter(({ days }) => days.includes(weekday))
    .map(({ from, to }) => {
      const [begin, end] = [minutesOf(from), minutesOf(to)];
      const last = end <= begin ? end + DAY_MS / MINUTE_MS : end;
      return { from: momentOf(zone, day + begin * MINUTE_MS), to: momentOf(zone, day + last * MINUTE_MS) };
    })
    .filter(({ from, to }) => from < to);
}

function minutesOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
  return hours * 60 + minutes;
}

function withoutClosures(span: Opening, all: readonly Opening[]): Opening[] {
  let parts = [span];
  for (const closure of all) {
    if (closure.to <= span.from || closure.from >= span.to) continue;
    parts = parts.flatMap(({ from, to }) =>
      [
        { from, to: Math.min(to, closure.from) },
        { from: Math.max(from, closure.to), to },
      ].filter((part) => part.from < part.to),
    );
  }
  return parts;
}
