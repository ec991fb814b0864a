/** Due times: on the clock of their zone, once each, whatever it does; intervals and single moments. */
import test from 'ava';
import fc from 'fast-check';
import { isZone, localTimeAt } from '../../../../engine/platform/lib/zone-time.ts';
import { MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import {
  type DueTimes,
  dueAfter,
  dueTimesViolations,
  dueUntil,
} from '../../../../engine/workflows/schedules/due-times.ts';

const BERLIN = 'Europe/Berlin';
const cron = (pattern: string, zone = BERLIN) => ({ cron: pattern, zone });
const short = (at: number) => new Date(at).toISOString().replace(':00.000Z', 'Z');

function nextTimes(when: DueTimes, at: string, count: number): string {
  const times: string[] = [];
  for (let due = dueAfter(when, Date.parse(at)); due !== undefined && times.length < count; due = dueAfter(when, due))
    times.push(short(due));
  return times.join(' ');
}

// On 2026-03-29 the clock skips 02:00 to 03:00 (01:00 UTC), on 2026-10-25 it repeats 02:00 to 03:00 (00:00 and 01:00 UTC).
const table: [what: string, when: DueTimes, at: string, expected: string][] = [
  [
    'a skipped time is the change',
    cron('30 2 * * *'),
    '2026-03-28T12:00Z',
    '2026-03-29T01:00Z 2026-03-30T00:30Z 2026-03-31T00:30Z',
  ],
  [
    'two skipped times are one',
    cron('15,30 2 * * *'),
    '2026-03-29T00:59Z',
    '2026-03-29T01:00Z 2026-03-30T00:15Z 2026-03-30T00:30Z',
  ],
  [
    'a skipped time and the one at the change are one',
    cron('0,30 2,3 29 3 *'),
    '2026-03-01T00:00Z',
    '2026-03-29T01:00Z 2026-03-29T01:30Z 2027-03-29T00:00Z',
  ],
  [
    'a doubled time is due once, at the first',
    cron('30 2 * * *'),
    '2026-10-24T12:00Z',
    '2026-10-25T00:30Z 2026-10-26T01:30Z 2026-10-27T01:30Z',
  ],
  [
    'nothing is due in the second of two hours',
    cron('0,30 * * * *'),
    '2026-10-25T00:10Z',
    '2026-10-25T00:30Z 2026-10-25T02:00Z 2026-10-25T02:30Z',
  ],
  [
    'day of month or day of week',
    cron('0 0 13 * fri', 'UTC'),
    '2026-02-10T00:00Z',
    '2026-02-13T00:00Z 2026-02-20T00:00Z 2026-02-27T00:00Z',
  ],
  ['leap days', cron('0 0 29 2 *', 'UTC'), '2026-01-01T00:00Z', '2028-02-29T00:00Z 2032-02-29T00:00Z'],
  [
    'an interval',
    { everySec: 90, from: '2026-01-01T00:00:00.000Z' },
    '2026-01-01T00:00Z',
    '2026-01-01T00:01:30.000Z 2026-01-01T00:03Z',
  ],
  [
    'an interval that begins later',
    { everySec: 60, from: '2026-01-02T00:00:00.000Z' },
    '2026-01-01T00:00Z',
    '2026-01-02T00:00Z 2026-01-02T00:01Z',
  ],
  ['one moment', { at: '2026-01-02T00:00:00.000Z' }, '2026-01-01T00:00Z', '2026-01-02T00:00Z'],
  ['one moment that is over', { at: '2026-01-02T00:00:00.000Z' }, '2026-01-02T00:00Z', ''],
];

for (const [what, when, at, expected] of table)
  test(`${what}: ${expected || 'never'}`, (t) => {
    t.is(nextTimes(when, at, expected.split(' ').length), expected);
  });

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone').filter(isZone));
const moment = fc.integer({ min: Date.UTC(2025, 0, 1) / MINUTE_MS, max: Date.UTC(2027, 0, 1) / MINUTE_MS });

test('due times are the same forward and backward, and a time of the day is due once a day in every zone', (t) => {
  const minutes = fc.integer({ min: 0, max: 1_439 });
  fc.assert(
    fc.property(zone, moment, minutes, (name, minute, ofDay) => {
      const when = cron(`${ofDay % 60} ${Math.floor(ofDay / 60)} * * *`, name);
      const at = minute * MINUTE_MS;
      const times: number[] = [];
      for (let due = at; times.length < 5; times.push(due)) due = dueAfter(when, due) as number;
      const backward = dueUntil(when, times.at(-1) as number);
      for (const due of times.toReversed()) t.is(backward.next().value, due, `${name} ${new Date(due).toISOString()}`);
      const days = times.map((due) => Math.floor(localTimeAt(name, due) / 86_400_000));
      t.is(new Set(days).size, 5, `${name} ${when.cron} ${times.map(short)}`);
    }),
    { numRuns: 100 },
  );
});

test('a pattern that is no cron of five fields, an unknown zone, and a moment that is over are rejected', (t) => {
  const bad = [
    '* * * *',
    '* * * * * *',
    '@daily',
    'H * * * *',
    '0 0 L * *',
    '61 * * * *',
    '0 0 30 2 *',
    '5-1 * * * *',
    ' ',
  ];
  for (const pattern of bad) t.is(dueTimesViolations(cron(pattern), 0)[0]?.path, 'when.cron', pattern);
  for (const pattern of ['0 0 31 4,6 *', '0 0 31 2,4,6,9,11 *', '0 0 30,31 feb *'])
    t.regex(dueTimesViolations(cron(pattern), 0)[0]?.message ?? '', /never due/, pattern);
  for (const pattern of ['0 0 29 2 *', '0 0 31 4,5 *', '0 0 31 4,6 mon'])
    t.deepEqual(dueTimesViolations(cron(pattern), 0), [], pattern);
  t.is(dueTimesViolations(cron('* * * * *', 'Europe/Atlantis'), 0)[0]?.path, 'when.zone');
  t.is(dueTimesViolations({ at: '2026-01-01T00:00:00Z' }, Date.UTC(2026, 0, 1))[0]?.path, 'when.at');
  for (const pattern of ['*/5 1-3 1,15 jan-mar MON', '0 0 * * 7'])
    t.deepEqual(dueTimesViolations(cron(pattern), 0), []);
});
