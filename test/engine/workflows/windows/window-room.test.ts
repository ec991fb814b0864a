/** The room of a window. */
import test from 'ava';
import { HOUR_MS, MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { endOfTurns, hasRoom } from '../../../../engine/workflows/windows/window-room.ts';

const spans = [{ days: ['mon' as const, 'tue' as const], from: '22:00', to: '02:00' }];
const nights = { zone: 'UTC', spans, closed: [], leadMinutes: 30 };
const always = { ...nights, spans: [{ days: ['mon' as const], from: '00:00', to: '24:00' }] };
const usual = (minutes: number) => ({ p50: (minutes / 2) * MINUTE_MS, p90: minutes * MINUTE_MS, runs: 10 });
/** A Monday. */
const opensAt = Date.parse('2026-11-23T22:00:00Z');
const closesAt = opensAt + 4 * HOUR_MS;

test('something begins only while the window is open, and if its usual time, at least the lead, is over before it closes', (t) => {
  t.false(hasRoom(nights, undefined, opensAt - 1));
  t.true(hasRoom(nights, undefined, opensAt));
  t.true(hasRoom(nights, usual(20), closesAt - 30 * MINUTE_MS - 1));
  t.false(hasRoom(nights, usual(20), closesAt - 30 * MINUTE_MS));
  t.true(hasRoom(nights, usual(60), closesAt - 60 * MINUTE_MS - 1));
  t.false(hasRoom(nights, usual(60), closesAt - 60 * MINUTE_MS));
  t.false(hasRoom(nights, usual(300), opensAt));
});

test('turns end in the opening that has room for the last of them; none if no opening has', (t) => {
  // Each takes an hour; the fourth would not be over before the window closes.
  const turn = { p50: HOUR_MS, p90: HOUR_MS, runs: 10 };
  t.is(endOfTurns(nights, turn, 0, opensAt - HOUR_MS), opensAt - HOUR_MS);
  t.is(endOfTurns(nights, turn, 3, opensAt - HOUR_MS), opensAt + 3 * HOUR_MS);
  t.is(endOfTurns(nights, turn, 4, opensAt), opensAt + 25 * HOUR_MS);
  t.is(endOfTurns(nights, usual(300), 1, opensAt), undefined);
  t.is(endOfTurns(always, turn, 2, Date.parse('2026-11-23T00:00:00Z')), Date.parse('2026-11-23T02:00:00Z'));
});
