/** Rules as pure functions: their limits, the events that they select, and those that they caused. */
import test from 'ava';
import type { LoggedEvent } from '../../../../engine/api-port/events.ts';
import { DAY_MS, HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { defaultLimits, limitReached, recentCounts } from '../../../../engine/workflows/rules/rule-limits.ts';
import { type CausesScope, isCausedBy, selects } from '../../../../engine/workflows/rules/rule-matching.ts';

test('a rule acts once on a node in 24 hours, and ten times in an hour, unless its limits say otherwise', (t) => {
  t.deepEqual(defaultLimits, { perNodePerDay: 1, perHour: 10 });
  t.is(limitReached(defaultLimits, { onNode: 0, inHour: 9 }), undefined);
  t.regex(
    limitReached(defaultLimits, { onNode: 1, inHour: 1 }) ?? '',
    /this node 1 time in 24 hours; perNodePerDay is 1/,
  );
  t.regex(limitReached(defaultLimits, { onNode: 0, inHour: 10 }) ?? '', /perHour is 10/);
  t.is(limitReached({ perNodePerDay: 2, perHour: 11 }, { onNode: 1, inHour: 10 }), undefined);
});

test('acts count on their node for 24 hours, and on all nodes for one', (t) => {
  const acts = [
    { node: 'a', at: 0 },
    { node: 'b', at: HOUR_MS },
    { node: 'a', at: 2 * HOUR_MS },
  ];
  t.deepEqual(recentCounts(acts, 'a', 2 * HOUR_MS + 1), { onNode: 2, inHour: 1 });
  t.deepEqual(recentCounts(acts, 'a', DAY_MS), { onNode: 1, inHour: 0 });
  t.deepEqual(recentCounts(acts, 'b', DAY_MS + HOUR_MS), { onNode: 0, inHour: 0 });
});

const event = (fields: Partial<LoggedEvent> = {}): LoggedEvent => ({
  seq: 1,
  id: 'e',
  version: '1.0',
  type: 'graph',
  action: 'finished',
  severity: 'critical',
  typeId: 'w',
  nodeId: 'n',
  createdAt: '2026-01-01T00:00:00.000Z',
  data: { status: 'failed', injectableName: 'Graph.A' },
  ...fields,
});

test('a filter selects events of nodes as that of a hook does, and never those of rules', async (t) => {
  t.true(await selects({ on: { type: '^graph$', status: 'failed', graphName: 'Graph' } }, event()));
  t.false(await selects({ on: { type: '^graph$', status: '^succeeded$' } }, event()));
  t.false(await selects({ on: { type: 'graph' } }, event({ nodeId: null })));
  t.false(await selects({ on: { severity: 'critical' } }, event({ type: 'rule' })));
});

const causes = (
  rows: Record<string, Partial<Awaited<ReturnType<CausesScope['workflow']>>>>,
  runs: Record<string, { rule: string; type: string; typeId: string }> = {},
): CausesScope => ({ workflow: async (id) => rows[id], run: async (id) => runs[id] });

test('an event is caused by a rule if its workflow, its root, the one it repeats, or one behind another rule is', async (t) => {
  t.true(await isCausedBy('r', event(), causes({ w: { rule: 'r' } })));
  t.true(await isCausedBy('r', event(), causes({}, { w: { rule: 'r', type: 'node', typeId: 'n' } })));
  t.true(
    await isCausedBy('r', event(), causes({ w: { root: 'top' }, top: { retryOf: 'first' }, first: { rule: 'r' } })),
  );
  const other = { w: { rule: 'other', type: 'graph', typeId: 'mine' } };
  t.true(await isCausedBy('r', event(), causes({ w: { rule: 'other' }, mine: { rule: 'r' } }, other)));
  t.false(await isCausedBy('r', event(), causes({ w: { rule: 'other' }, mine: {} }, other)));
  t.false(await isCausedBy('r', event({ type: 'node' }), causes({ w: { rule: 'r' } })));
});

test('two rules that start each other without end are stopped', async (t) => {
  const workflow = async () => ({});
  const run = async (id: string) => ({ rule: 'other', type: 'graph', typeId: `${id}-before` });
  t.true(await isCausedBy('r', event(), { workflow, run }));
});
