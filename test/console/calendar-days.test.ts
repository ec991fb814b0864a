/** The days of the calendar. */
import test from 'ava';
import { dayLater, linesOfDay } from '../../api/console/pages/rollouts/calendar-days.ts';

const utc = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
const window = (from: string, to: string | null) =>
  ({ kind: 'window', id: 'w', name: 'nights', from, to, graph: null, more: false }) as const;
const due = (from: string, more = false) =>
  ({ kind: 'schedule', id: 's', name: 'weekly', from, to: null, graph: 'Graph.X', more }) as const;
const timesOn = (day: string, ...planned: Parameters<typeof linesOfDay>[0]) =>
  linesOfDay(planned, day, utc).map(({ times }) => times);

test('a window is on each day on which it is open, with the times of that day', (t) => {
  const night = window('2026-05-01T22:00:00Z', '2026-05-03T05:00:00Z');
  t.deepEqual(timesOn('2026-04-30', night), []);
  t.deepEqual(timesOn('2026-05-01', night), ['from 22:00']);
  t.deepEqual(timesOn('2026-05-02', night), ['all day']);
  t.deepEqual(timesOn('2026-05-03', night), ['until 05:00']);
  t.deepEqual(timesOn('2026-05-04', night), []);
});

test('a window that ends at midnight is not on the next day, and one without an end is on all that follow', (t) => {
  const evening = window('2026-05-01T20:00:00Z', '2026-05-02T00:00:00Z');
  t.deepEqual(timesOn('2026-05-01', evening), ['20:00 – 24:00']);
  t.deepEqual(timesOn('2026-05-02', evening), []);
  t.deepEqual(timesOn('2030-01-01', window('2026-05-01T20:00:00Z', null)), ['all day']);
});

test('a schedule that is due often is one line, which says how often', (t) => {
  const hours = Array.from({ length: 24 }, (_, hour) => due(`2026-05-01T${String(hour).padStart(2, '0')}:30:00Z`));
  t.deepEqual(timesOn('2026-05-01', ...hours), ['00:30, 01:30 … 23:30, 24 times']);
  t.deepEqual(timesOn('2026-05-01', ...hours.slice(0, 2)), ['00:30, 01:30']);
  t.deepEqual(timesOn('2026-05-01', due('2026-05-01T02:00:00Z', true)), ['02:00 and later']);
  t.deepEqual(timesOn('2026-05-02', ...hours), []);
});

test('a day is followed by the next one, over months and changes of the clock', (t) => {
  t.is(dayLater('2026-02-27', 7), '2026-03-06');
  t.is(dayLater('2026-03-28', 1), '2026-03-29');
  t.is(dayLater('2026-01-03', -7), '2025-12-27');
});
