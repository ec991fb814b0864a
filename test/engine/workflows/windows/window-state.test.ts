/** Windows: open at the times of their spans on the clock of their zone, and at no others. */
import test from 'ava';
import fc from 'fast-check';
import type { WindowTimes } from '../../../../engine/api-port/windows.ts';
import { localTimeAt, momentOf } from '../../../../engine/platform/lib/zone-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { type Weekday, weekdays } from '../../../../engine/vocabulary/weekdays.ts';
import { openingsBetween, windowState } from '../../../../engine/workflows/windows/window-state.ts';

const daily = (zone: string, from: string, to: string, closed: WindowTimes['closed'] = []): WindowTimes => ({
  zone,
  spans: [{ days: [...weekdays], from, to }],
  closed,
});

/** The opening at, or after, a moment, in UTC without zeros. */
function openingAt(window: WindowTimes, at: string): string {
  const { open, closesAt, next } = windowState(window, Date.parse(at));
  const short = (time: string | null | undefined) => time?.replace(':00.000Z', 'Z') ?? String(time);
  return open ? `open until ${short(closesAt)}` : `${short(next?.opensAt)} to ${short(next?.closesAt)}`;
}

const BERLIN = 'Europe/Berlin';
// On 2026-03-29 the clock skips 02:00 to 03:00 (01:00 UTC), on 2026-10-25 it repeats 02:00 to 03:00 (00:00 and 01:00 UTC).
const table: [what: string, window: WindowTimes, at: string, expected: string][] = [
  ['a night', daily(BERLIN, '22:00', '05:00'), '2026-06-01T12:00Z', '2026-06-01T20:00Z to 2026-06-02T03:00Z'],
  ['a short night', daily(BERLIN, '22:00', '05:00'), '2026-03-28T12:00Z', '2026-03-28T21:00Z to 2026-03-29T03:00Z'],
  ['a long night', daily(BERLIN, '22:00', '05:00'), '2026-10-24T12:00Z', '2026-10-24T20:00Z to 2026-10-25T04:00Z'],
  [
    'begins in a skipped hour',
    daily(BERLIN, '02:30', '04:00'),
    '2026-03-28T12:00Z',
    '2026-03-29T01:00Z to 2026-03-29T02:00Z',
  ],
  [
    'ends in a skipped hour',
    daily(BERLIN, '01:00', '02:30'),
    '2026-03-28T12:00Z',
    '2026-03-29T00:00Z to 2026-03-29T01:00Z',
  ],
  [
    'within a skipped hour',
    daily(BERLIN, '02:10', '02:50'),
    '2026-03-28T12:00Z',
    '2026-03-30T00:10Z to 2026-03-30T00:50Z',
  ],
  [
    'begins in a doubled hour',
    daily(BERLIN, '02:30', '04:00'),
    '2026-10-24T12:00Z',
    '2026-10-25T00:30Z to 2026-10-25T03:00Z',
  ],
  [
    'to the end of the day',
    daily('UTC', '20:00', '24:00'),
    '2026-06-01T12:00Z',
    '2026-06-01T20:00Z to 2026-06-02T00:00Z',
  ],
  [
    'from the end of the day',
    daily('UTC', '24:00', '01:00'),
    '2026-06-01T12:00Z',
    '2026-06-02T00:00Z to 2026-06-02T01:00Z',
  ],
  [
    'a whole day',
    { ...daily('UTC', '00:00', '24:00'), spans: [{ days: ['mon'], from: '00:00', to: '24:00' }] },
    '2026-06-07T12:00Z',
    '2026-06-08T00:00Z to 2026-06-09T00:00Z',
  ],
  ['always', daily(BERLIN, '00:00', '24:00'), '2026-06-01T12:00Z', 'open until null'],
  [
    'always, by meeting spans',
    {
      ...daily(BERLIN, '00:00', '12:00'),
      spans: [
        { days: [...weekdays], from: '00:00', to: '12:00' },
        { days: [...weekdays], from: '12:00', to: '00:00' },
      ],
    },
    '2026-06-01T12:00Z',
    'open until null',
  ],
  [
    'the last day before the line',
    daily('Pacific/Kiritimati', '00:00', '01:00'),
    '2026-06-01T09:30Z',
    '2026-06-01T10:00Z to 2026-06-01T11:00Z',
  ],
  [
    'a day that did not exist',
    daily('Pacific/Apia', '12:00', '13:00'),
    '2011-12-30T00:00Z',
    '2011-12-30T22:00Z to 2011-12-30T23:00Z',
  ],
  [
    'closed at its begin',
    daily('UTC', '10:00', '12:00', [{ from: '2026-06-01T09:00Z', to: '2026-06-01T11:00Z' }]),
    '2026-06-01T00:00Z',
    '2026-06-01T11:00Z to 2026-06-01T12:00Z',
  ],
  [
    'closed in its middle',
    daily('UTC', '10:00', '12:00', [{ from: '2026-06-01T10:30Z', to: '2026-06-01T11:00Z' }]),
    '2026-06-01T10:00Z',
    'open until 2026-06-01T10:30Z',
  ],
  [
    'closed for years',
    daily('UTC', '10:00', '12:00', [{ from: '2026-06-01T00:00Z', to: '2048-06-01T11:00Z' }]),
    '2026-06-01T10:00Z',
    '2048-06-01T11:00Z to 2048-06-01T12:00Z',
  ],
];

for (const [what, window, at, expected] of table)
  test(`${what}: ${expected}`, (t) => {
    t.is(openingAt(window, at), expected);
  });

test('while it is open, the next opening is the one after', (t) => {
  const state = windowState(daily('UTC', '10:00', '12:00'), Date.parse('2026-06-01T10:00Z'));
  t.deepEqual(state, {
    open: true,
    closesAt: '2026-06-01T12:00:00.000Z',
    next: { opensAt: '2026-06-02T10:00:00.000Z', closesAt: '2026-06-02T12:00:00.000Z' },
  });
  t.false(windowState(daily('UTC', '10:00', '12:00'), Date.parse('2026-06-01T12:00Z')).open);
});

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const moment = fc
  .integer({ min: Date.UTC(2000, 0, 1) / MINUTE_MS, max: Date.UTC(2037, 0, 1) / MINUTE_MS })
  .map((n) => n * MINUTE_MS);

test('a local time that exists is that of its moment, the first of two; one that does not, the change', (t) => {
  fc.assert(
    fc.property(zone, moment, (name, at) => {
      const local = localTimeAt(name, at);
      const first = momentOf(name, local);
      t.true(first <= at, 'the first of two');
      t.is(localTimeAt(name, first), local, `${name} ${at}`);
      // The local times between those before and after a moment are skipped there.
      const skipped = localTimeAt(name, at + MINUTE_MS) - local - MINUTE_MS;
      if (skipped > 0) t.is(momentOf(name, local + MINUTE_MS + Math.floor(skipped / 2_000) * 1_000), at + MINUTE_MS);
    }),
  );
});

test('each change of a clock in 2026 has its skipped or doubled times as said, in every zone', (t) => {
  let changes = 0;
  for (const name of Intl.supportedValuesOf('timeZone')) {
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += DAY_MS) {
      const jump = localTimeAt(name, at + DAY_MS) - localTimeAt(name, at) - DAY_MS;
      if (jump === 0) continue;
      changes += 1;
      let [early, late] = [at, at + DAY_MS];
      while (late - early > MINUTE_MS) {
        const middle = early + Math.floor((late - early) / 2 / MINUTE_MS) * MINUTE_MS;
        if (localTimeAt(name, middle) - middle === localTimeAt(name, at) - at) early = middle;
        else late = middle;
      }
      const before = late + localTimeAt(name, at) - at;
      if (jump > 0) t.is(momentOf(name, before + jump / 2), late, `${name} skips`);
      else t.is(momentOf(name, before + jump / 2), late + jump / 2, `${name} repeats`);
    }
  }
  t.true(changes > 100);
});

const clock = fc
  .integer({ min: 0, max: 96 })
  .map((n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`);
const span = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
  from: clock,
  to: clock,
});

const minutesIn = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** By the definition: the spans that begin on a local day, each from a moment to another. */
function spansOn({ zone: name, spans }: WindowTimes, day: number) {
  const weekday = weekdays[new Date(day).getUTCDay()] as Weekday;
  return spans
    .filter(({ days }) => days.includes(weekday))
    .map(({ from, to }) => {
      const [begin, end] = [minutesIn(from), minutesIn(to)];
      const last = end <= begin ? end + 1_440 : end;
      return { from: momentOf(name, day + begin * MINUTE_MS), to: momentOf(name, day + last * MINUTE_MS) };
    });
}

const localDay = (name: string, at: number) => Math.floor(localTimeAt(name, at) / DAY_MS) * DAY_MS;

/** Whether a span of one of the last days reaches a moment. */
function isInSpan(window: WindowTimes, at: number): boolean {
  const today = localDay(window.zone, at);
  return [-3, -2, -1, 0, 1].some((days) =>
    spansOn(window, today + days * DAY_MS).some(({ from, to }) => from <= at && at < to),
  );
}

const closures = fc.array(fc.tuple(fc.integer({ min: -100, max: 300 }), fc.integer({ min: 1, max: 60 })), {
  maxLength: 3,
});
const closedFrom = (at: number, hours: readonly [from: number, length: number][]) =>
  hours.map(([from, length]) => ({
    from: new Date(at + from * HOUR_MS).toISOString(),
    to: new Date(at + (from + length) * HOUR_MS).toISOString(),
  }));

test('a window is open exactly in its spans and outside its closures, until it closes, and closed until it opens', (t) => {
  fc.assert(
    fc.property(zone, fc.array(span, { minLength: 1, maxLength: 3 }), moment, closures, (name, spans, at, hours) => {
      const closed = closedFrom(at, hours);
      const window = { zone: name, spans, closed };
      const isOpenAt = (time: number) =>
        isInSpan(window, time) && !closed.some(({ from, to }) => Date.parse(from) <= time && time < Date.parse(to));
      const { open, closesAt = null, next } = windowState(window, at);
      t.is(open, isOpenAt(at));
      const change = open ? closesAt : (next?.opensAt ?? null);
      if (change === null) return;
      const end = Date.parse(change);
      t.is(isOpenAt(end), !open, 'it changes then');
      for (let step = 1; step < 8; step += 1)
        t.is(isOpenAt(at + Math.floor(((end - at) * step) / 8)), open, 'and not before');
    }),
    { numRuns: 60 },
  );
});

const WALKED_DAYS = 60;
const MARGIN_DAYS = 10;

/** By a walk over every day: the minutes of an opening that are not over at a moment, up to a last one. */
function walkedOpenings(window: WindowTimes, at: number, last: number) {
  const first = localDay(window.zone, at) - MARGIN_DAYS * DAY_MS;
  const days = Array.from({ length: WALKED_DAYS + 2 * MARGIN_DAYS }, (_, n) => first + n * DAY_MS);
  const spans = days.flatMap((day) => spansOn(window, day));
  const closed = window.closed.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const changes = [...new Set([at, last, ...[...spans, ...closed].flatMap(({ from, to }) => [from, to])])]
    .filter((time) => at <= time && time <= last)
    .sort((one, other) => one - other);
  const openings: { from: number; to: number }[] = [];
  for (const [n, to] of changes.entries()) {
    const from = changes[n - 1] ?? to;
    const isWithin = (stretch: { from: number; to: number }) => stretch.from <= from && to <= stretch.to;
    if (from === to || !spans.some(isWithin) || closed.some(isWithin)) continue;
    const before = openings.at(-1);
    if (before?.to === from) before.to = to;
    else openings.push({ from, to });
  }
  return openings;
}

/** A day without, or almost without, the time between two spans. */
const almostDaily = clock.chain((gap) =>
  fc.constantFrom<WindowTimes['spans']>(
    [{ days: [...weekdays], from: gap, to: gap }],
    [
      { days: [...weekdays], from: '00:00', to: gap },
      { days: weekdays.slice(1), from: gap, to: '24:00' },
    ],
  ),
);

/** @returns how often a function asks the data of a zone for a local time */
function questionsOf(ask: () => void): number {
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  let questions = 0;
  Intl.DateTimeFormat.prototype.formatToParts = function count(...date) {
    questions += 1;
    return formatToParts.apply(this, date);
  };
  try {
    ask();
  } finally {
    Intl.DateTimeFormat.prototype.formatToParts = formatToParts;
  }
  return questions;
}

test('the openings are those of a walk over every day, also of a window that is nearly always open, but few times are looked up', (t) => {
  const spans = fc.oneof(fc.array(span, { minLength: 1, maxLength: 4 }), almostDaily);
  fc.assert(
    fc.property(zone, spans, moment, closures, (name, someSpans, at, hours) => {
      const window = { zone: name, spans: someSpans, closed: closedFrom(at, hours) };
      const last = at + WALKED_DAYS * DAY_MS;
      const openings = [...openingsBetween(window, at, last)].map(({ from, to }) => ({
        from: Math.max(at, Date.parse(from)),
        to: to === null ? last : Math.min(last, Date.parse(to)),
      }));
      t.deepEqual(openings, walkedOpenings(window, at, last));
      const questions = questionsOf(() => windowState(window, at));
      t.true(questions < 400, `${questions} questions`);
    }),
  );
});

test('a window that is always open but for a closure in two years closes then', (t) => {
  const window = daily(BERLIN, '00:00', '24:00', [{ from: '2028-06-01T00:00Z', to: '2028-06-02T00:00Z' }]);
  let state = {};
  t.true(questionsOf(() => (state = windowState(window, Date.parse('2026-06-01T12:00Z')))) < 20);
  t.deepEqual(state, {
    open: true,
    closesAt: '2028-06-01T00:00:00.000Z',
    next: { opensAt: '2028-06-02T00:00:00.000Z', closesAt: null },
  });
});

test('openings between two moments are those that windowState names one after the other, also one that has begun before', (t) => {
  const window = daily(BERLIN, '22:00', '05:00', [{ from: '2026-06-03T00:00Z', to: '2026-06-04T12:00Z' }]);
  const between = (from: string, to: string) => [...openingsBetween(window, Date.parse(from), Date.parse(to))];
  t.deepEqual(between('2026-06-02T01:00Z', '2026-06-05T00:00Z'), [
    { from: '2026-06-01T20:00:00.000Z', to: '2026-06-02T03:00:00.000Z' },
    { from: '2026-06-02T20:00:00.000Z', to: '2026-06-03T00:00:00.000Z' },
    { from: '2026-06-04T20:00:00.000Z', to: '2026-06-05T03:00:00.000Z' },
  ]);
  t.deepEqual(between('2026-06-02T03:00Z', '2026-06-02T20:00Z'), []);
  const always = [...openingsBetween(daily('UTC', '00:00', '24:00'), 0, DAY_MS)];
  t.is(always.length, 1);
  t.is(always[0]?.to, null);
});
