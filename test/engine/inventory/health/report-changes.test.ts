/** Changes of the health of a node by reports. */
import test from 'ava';
import fc from 'fast-check';
import { healthAfter, isAsBadAs, type ReportChange } from '../../../../engine/inventory/health/report-changes.ts';
import type { StoredHealth } from '../../../../engine/inventory/health/stored-health.ts';
import { type HealthState, healthStates } from '../../../../engine/vocabulary/states.ts';

const FIRST_TIME = '2026-01-01T00:00:00.000Z';
const none: StoredHealth = { version: 0, state: 'unknown', since: FIRST_TIME, reports: [], until: null, burnIn: null };
const at = (minute: number) => new Date(Date.parse(FIRST_TIME) + minute * 60_000).toISOString();

const says = (source: string, state: HealthState, until: string | null = null, message = ''): ReportChange => ({
  source,
  key: '',
  report: { state, message, until },
});
const over = (source: string): ReportChange => ({ source, key: '', report: null });

const after = (before: StoredHealth, changes: readonly ReportChange[], minute: number) =>
  healthAfter(before, changes, at(minute)) ?? before;

test('the worst report counts, and unknown only if it is the only one', (t) => {
  const source = fc.constantFrom('a', 'b', 'c');
  const change = fc.oneof(
    fc.tuple(source, fc.constantFrom(...healthStates)).map(([name, state]) => says(name, state)),
    source.map(over),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const { state, reports } = changes.reduce((health, one, minute) => after(health, [one], minute), none);
      const states = reports.map((report) => report.state);
      t.true(states.every((one) => isAsBadAs(state, one)));
      t.is(states.length === 0 ? 'unknown' : states.find((one) => one === state), state);
      t.is(new Set(reports.map((report) => report.source)).size, reports.length);
    }),
  );
});

test('a long message that is cut within a character says the same when it is read from a store', (t) => {
  const change = says('a', 'warning', null, `${'m'.repeat(999)}\u{1f600}`);
  const first = after(none, [change], 1);
  // As UTF-8 returns it.
  const stored = JSON.parse(Buffer.from(JSON.stringify(first)).toString().replace('\\ud83d', '\ufffd'));
  t.is(healthAfter(stored, [change], at(2)), undefined);
});

test('a report that says the same changes nothing, and the state keeps the time since when it is so', (t) => {
  const first = after(none, [says('a', 'warning', at(600))], 1);
  t.is(healthAfter(first, [says('a', 'warning', at(600))], at(2)), undefined);
  t.is(healthAfter(first, [over('b')], at(2)), undefined);
  const second = after(first, [says('b', 'warning', null, 'it is warm')], 2);
  t.like(second, { state: 'warning', since: at(1), until: at(600) });
  t.like(after(second, [says('a', 'critical')], 3), { state: 'critical', since: at(3), until: null });
});

test('a report ends at its time, and at the end of its condition', (t) => {
  const health = after(none, [says('a', 'critical', at(10)), says('b', 'ok')], 1);
  t.is(healthAfter(health, [], at(9)), undefined);
  t.like(after(health, [], 10), { state: 'ok', since: at(10), until: null });
  t.like(after(after(health, [over('a')], 2), [over('b')], 3), { state: 'unknown', since: at(3), reports: [] });
});

test('a node has a hundred reports at most: the mildest go first, then the oldest', (t) => {
  const warnings = Array.from({ length: 150 }, (_, n): ReportChange => ({ ...says('log', 'warning'), key: `${n}` }));
  const { state, reports } = after(none, [says('alert', 'critical'), says('agent', 'ok'), ...warnings], 1);
  t.is(state, 'critical');
  t.deepEqual(reports.map(({ key }) => key).sort(), ['', ...warnings.slice(51).map(({ key }) => key)].sort());
});
