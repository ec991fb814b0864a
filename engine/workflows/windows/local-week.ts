/**
 * The spans of a window as stretches of its week. They are joined on the clock, where every week is the same, so that only the
 * ends of a stretch have to be found in the data of the zone, however long it is.
 *
 * 1. A later time on the clock is never an earlier moment (`momentOf`): what is joined on the clock is joined in time.
 * 2. Stretches that are apart on the clock meet in time if the clock skips all that is between them.
 */
import type { WindowTimes } from '../../api-port/windows.ts';
import { localTimeAt, momentOf } from '../../platform/lib/zone-time.ts';
import { DAY_MS, MINUTE_MS } from '../../vocabulary/units.ts';
import { weekdays } from '../../vocabulary/weekdays.ts';
import { type Interval, joinStretches } from './stretches.ts';

const WEEK_MS = 7 * DAY_MS;
/** A local time: 1970-01-01 was a Thursday. */
const FIRST_SUNDAY = 3 * DAY_MS;
/** The number of days before, on which an opening without a beginning is said to have begun. */
const DAYS_BEFORE = 3;

export class LocalWeek {
  readonly #zone: string;
  /** In ms since the beginning of the week; the last one may reach into the next week. */
  readonly #stretches: readonly Interval[];

  constructor({ zone, spans }: Pick<WindowTimes, 'zone' | 'spans'>) {
    this.#zone = zone;
    this.#stretches = stretchesOf(spans);
  }

  /** Returns the first stretch that is not over at a moment; both are in ms since 1970. It has no end if no gap is in the week. */
  stretchAt(at: number): Interval {
    const local = localTimeAt(this.#zone, at);
    if (this.#stretches.some(({ from, to }) => to - from >= WEEK_MS))
      return { from: this.#moment(dayOf(local) - DAYS_BEFORE * DAY_MS), to: Number.POSITIVE_INFINITY };
    const lastWeek = Math.floor((local - FIRST_SUNDAY) / WEEK_MS) - 1;
    let n = lastWeek * this.#stretches.length;
    while (this.#nth(n).to <= local) n += 1;
    for (;;) {
      const { from, to } = this.#joinedAt(n);
      if (from < to && at < to) return { from, to };
      n += 1;
    }
  }

  /** Returns the nth stretch on the clock since the first week. */
  #nth(n: number): Interval {
    const week = Math.floor(n / this.#stretches.length);
    const { from, to } = this.#stretches[n - week * this.#stretches.length] as Interval;
    const begin = FIRST_SUNDAY + week * WEEK_MS;
    return { from: begin + from, to: begin + to };
  }

  /** Returns the nth stretch in time, with those that it meets. */
  #joinedAt(n: number): Interval {
    let from = this.#moment(this.#nth(n).from);
    let to = this.#moment(this.#nth(n).to);
    for (let m = n - 1; this.#moment(this.#nth(m).to) >= from; m -= 1) from = this.#moment(this.#nth(m).from);
    for (let m = n + 1; this.#moment(this.#nth(m).from) <= to; m += 1) to = this.#moment(this.#nth(m).to);
    return { from, to };
  }

  #moment(local: number): number {
    return momentOf(this.#zone, local);
  }
}

const dayOf = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS;

function stretchesOf(spans: WindowTimes['spans']): Interval[] {
  const all = joinStretches(
    spans.flatMap(({ days, from, to }) => {
      const [begin, end] = [timeOfDayMs(from), timeOfDayMs(to)];
      const last = end <= begin ? end + DAY_MS : end;
      return days.map((day) => {
        const midnight = weekdays.indexOf(day) * DAY_MS;
        return { from: midnight + begin, to: midnight + last };
      });
    }),
  );
  // The end of a week joins the beginning of the next one.
  for (;;) {
    const [first, last] = [all[0], all.at(-1)];
    if (first === undefined || last === undefined || first === last || last.to < first.from + WEEK_MS) return all;
    last.to = Math.max(last.to, first.to + WEEK_MS);
    all.shift();
  }
}

function timeOfDayMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
