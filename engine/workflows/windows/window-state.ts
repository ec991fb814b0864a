/**
 * The state of a window at a moment, from its spans and closures alone.
 *
 * 1. A span is on the clock of its zone: one that a change of that clock cuts is as much shorter or longer. It begins and ends
 *    at the change if the clock skips its time, and at the first of two.
 * 2. Spans that overlap or meet are one opening. A closure within an opening leaves two.
 * 3. A window whose spans leave no gap in the week closes only at its closures.
 */
import type { WindowState, WindowTimes } from '../../api-port/windows.ts';
import { LocalWeek } from './local-week.ts';
import { cutStretch, type Interval, joinStretches } from './stretches.ts';

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

const shownOpening = (opening: Interval | undefined): WindowState['next'] =>
  opening === undefined ? null : shownTimes(opening);

const shownTimes = (opening: Interval) => ({ opensAt: isoTime(opening.from), closesAt: closingOf(opening) });

const isoTime = (at: number): string => new Date(at).toISOString();

const closingOf = ({ to }: Interval): string | null => (to === Number.POSITIVE_INFINITY ? null : isoTime(to));

/** Yields the openings that are not over at a moment, in their order, without an end: spans repeat each week. */
function* openingsOf(window: WindowTimes, at: number): Generator<Interval, undefined> {
  const closures = joinStretches(window.closed.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })));
  const week = new LocalWeek(window);
  let moment = at;
  while (moment < Number.POSITIVE_INFINITY) {
    const stretch = week.stretchAt(moment);
    for (const opening of cutStretch(stretch, closures)) if (opening.to > at) yield opening;
    const closure = closures.find(({ from, to }) => from <= stretch.to && stretch.to < to);
    // Years may be closed.
    moment = closure?.to ?? stretch.to;
  }
}
