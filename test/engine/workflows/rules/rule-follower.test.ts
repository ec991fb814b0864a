/** The follower of the log on a store in memory: killed at every call, twice at a time, and after a gap in the log. */
import test from 'ava';
import type { LoggedEvent } from '../../../../engine/api-port/events.ts';
import { Reconciler } from '../../../../engine/platform/lib/reconciler.ts';
import { EventsGone, NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import type { Publication } from '../../../../engine/vocabulary/event.ts';
import { HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { RuleFollower } from '../../../../engine/workflows/rules/rule-follower.ts';
import { RuleRuns } from '../../../../engine/workflows/rules/rule-runs.ts';
import {
  type RuleMark,
  ruleMarkSpec,
  ruleRunSpec,
  ruleSpec,
  type StoredRule,
  type StoredRuleRun,
} from '../../../../engine/workflows/rules/stored-rule.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { Life } from '../../../support/faults/dying-store.ts';

const AT = '2026-01-01T00:00:00.000Z';

const alert = (seq: number, nodeId = `n${seq}`): LoggedEvent => ({
  seq,
  id: `e${seq}`,
  version: '1.0',
  type: 'node',
  action: 'alerts',
  severity: 'critical',
  typeId: nodeId,
  nodeId,
  createdAt: AT,
  data: {},
});

const launching: StoredRule = {
  id: 'r',
  version: 1,
  name: 'r',
  on: { action: 'alerts' },
  enabled: true,
  launch: { name: 'Graph.A' },
  hold: null,
  limits: { perNodePerDay: 1, perHour: 10 },
  from: 0,
  createdAt: AT,
  updatedAt: AT,
  createdBy: 'op',
};

const holding: StoredRule = { ...launching, launch: null, hold: { kind: 'fault', reason: 'hot' } };

async function scene(rule: StoredRule, events: readonly LoggedEvent[]) {
  const store = new MemoryStore();
  const rules = await store.collection<StoredRule>(ruleSpec);
  await rules.insert(rule);
  /** The nodes of the workflows or holds that were begun, by id. */
  const begun = new Map<string, string>();
  const published = new Map<string, string>();
  const errors: unknown[] = [];
  let acts = 0;
  const begin = (id: string, node: string) => {
    if (!begun.has(id)) acts += 1;
    begun.set(id, node);
  };
  const rowOf = (id: string) => (begun.has(id) ? ({ id, createdAt: AT, status: 'running' } as never) : undefined);
  const on = async (node: string) => {
    const holds = [...begun].filter((one) => rule.hold !== null && one[1] === node).map(([id]) => ({ id }));
    return { holds, isEmpty: false } as never;
  };
  const follow = async (life = new Life(), changes: Partial<ConstructorParameters<typeof RuleFollower>[0]> = {}) => {
    const mortal = life.store(store);
    const follower = new RuleFollower({
      rules: await mortal.collection<StoredRule>(ruleSpec),
      runs: new RuleRuns(await mortal.collection<StoredRuleRun>(ruleRunSpec)),
      marks: await mortal.collection<RuleMark>(ruleMarkSpec),
      log: {
        read: (after) => {
          const rest = events.filter(({ seq }) => seq > after);
          return life.call(async () => ({ events: rest, upTo: rest.at(-1)?.seq ?? after, size: 0 }));
        },
      },
      launches: { launchOnce: (id, { nodeId }) => life.call(async () => begin(id, nodeId)) },
      holds: { on, add: (node, _, __, id = '') => life.call(async () => begin(id, node) as never) },
      existingIds: async (ids) => new Set(ids),
      holderOf: async (node) => [...begun].filter((one) => one[1] === node).map(([id]) => ({ id }))[0],
      workflow: async (id) => (rule.launch === null ? undefined : rowOf(id)),
      outbox: {
        publish: (all: readonly Publication[]) =>
          life.call(async () => all.forEach(({ id, key }) => void published.set(id, key))),
      },
      cluster: { reconciler: (port) => new Reconciler({ ...port, firstMs: HOUR_MS }) },
      failed: (error) => void errors.push(error),
      ...changes,
    });
    await follower.pass(async () => true).catch((error) => void errors.push(error));
    await follower.close();
  };
  const runs = async () => (await store.collection<StoredRuleRun>(ruleRunSpec)).find({}, { sort: { acted: 1 } });
  const position = async () => (await (await store.collection<RuleMark>(ruleMarkSpec)).get('rules'))?.position;
  return { rules, follow, runs, position, begun, published, errors, actCount: () => acts };
}

for (const rule of [launching, holding]) {
  const what = rule.launch === null ? 'adds its hold' : 'starts its graph';
  test(`a daemon that dies at any call ${what} once, and the next one says so`, async (t) => {
    for (const moment of ['before', 'after'] as const)
      for (let calls = 0, isDead = true; isDead; calls += 1) {
        const it = await scene(rule, [alert(1)]);
        const life = new Life();
        life.dieAfter(calls, moment);
        await it.follow(life);
        await it.follow();
        isDead = life.isDead;
        const when = `${moment} call ${calls}`;
        const [run, ...others] = await it.runs();
        t.is(it.actCount(), 1, when);
        t.deepEqual([...it.begun.keys()], [run?.id], when);
        t.deepEqual(others, [], when);
        t.like(
          run,
          { event: 'e1', node: 'n1', status: rule.launch === null ? 'held' : 'started', pending: false },
          when,
        );
        t.is(it.published.size, 1, when);
        t.is(await it.position(), 1, when);
      }
  });
}

test('an event that the log has twice, and one of before the rule was enabled, start nothing', async (t) => {
  const it = await scene({ ...launching, from: 1 }, [alert(1), alert(2), { ...alert(2), seq: 3 }]);
  await it.follow();
  t.deepEqual([...it.begun.values()], ['n2']);
  t.is((await it.runs()).length, 1);
  t.is(await it.position(), 3);
});

test('two daemons that follow the log at the same time exceed no limit', async (t) => {
  const limits = { perNodePerDay: 1, perHour: 2 };
  const it = await scene({ ...launching, limits }, [alert(1), alert(2), alert(3), alert(4), alert(5, 'n1')]);
  await Promise.all([it.follow(), it.follow()]);
  t.is(it.actCount(), 2);
  const outcomes = (await it.runs()).map(({ seq, status, reason }) => [seq, status, reason]).sort();
  t.deepEqual(outcomes, [
    [1, 'started', undefined],
    [2, 'started', undefined],
    [3, 'refused', 'limit'],
    [4, 'refused', 'limit'],
    [5, 'refused', 'limit'],
  ]);
  const keys = [...it.published.values()].map((key) => key.split('.').slice(0, 3).join('.')).sort();
  t.deepEqual([...new Set(keys)], ['rule.skipped.warning', 'rule.started.information']);
});

test('a rejected launch is refused with its code and does not count as an act; after another error the next pass acts', async (t) => {
  const it = await scene(launching, [alert(1)]);
  const failing = (code: 'OBM_MISSING' | 'UNAVAILABLE') => ({
    launches: { launchOnce: () => Promise.reject(new NodewrightError(code, 'why')) },
  });
  await it.follow(new Life(), failing('UNAVAILABLE'));
  t.like((await it.runs())[0], { status: 'pending', pending: true });
  t.is(it.errors.length, 1);
  await it.follow(new Life(), failing('OBM_MISSING'));
  t.like((await it.runs())[0], { status: 'refused', reason: 'rejected', message: 'OBM_MISSING: why', acted: null });
});

test('a rule that is disabled while its run is pending does not act', async (t) => {
  const it = await scene(launching, [alert(1)]);
  const away = { launches: { launchOnce: () => Promise.reject(new NodewrightError('UNAVAILABLE', 'away')) } };
  await it.follow(new Life(), away);
  await it.rules.replace([{ ...launching, version: 2, enabled: false }]);
  await it.follow();
  t.like((await it.runs())[0], { status: 'refused', reason: 'disabled', pending: false });
  t.is(it.actCount(), 0);
});

test('events that the log does not keep any more are skipped, in words, and the rules continue with the oldest', async (t) => {
  const it = await scene(launching, [alert(9)]);
  const read = async (after: number) => {
    if (after < 8) throw new EventsGone(after, 9);
    return after < 9 ? { events: [alert(9)], upTo: 9, size: 0 } : { events: [], upTo: after, size: 0 };
  };
  await it.follow(new Life(), { log: { read } });
  t.deepEqual([...it.begun.values()], ['n9']);
  t.regex(String(it.errors[0]), /events 1 to 8 were removed/);
  t.is(await it.position(), 9);
});

test('nothing is read while no rule is enabled', async (t) => {
  const it = await scene({ ...launching, enabled: false }, []);
  const read = () => Promise.reject(new Error('it was read'));
  await it.follow(new Life(), { log: { read } });
  t.deepEqual(it.errors, []);
});

test('a node with a hold of any kind, an active workflow, or none of its own any more is left alone', async (t) => {
  const it = await scene({ ...launching, limits: { perNodePerDay: 9, perHour: 9 } }, [alert(1), alert(2), alert(3)]);
  const held = { id: 'h', kind: 'legal', reason: 'a case' };
  await it.follow(new Life(), {
    holds: {
      on: async (node) => ({ holds: node === 'n1' ? [held] : [], isEmpty: false }) as never,
      add: null as never,
    },
    holderOf: async (node) => (node === 'n2' ? { id: 'w' } : undefined),
    existingIds: async (ids) => new Set(ids.filter((id) => id !== 'n3')),
  });
  const reasons = (await it.runs()).map(({ node, reason, message }) => `${node} ${reason}: ${message}`).sort();
  t.deepEqual(reasons, [
    'n1 held: the node has the hold h (legal): a case',
    'n2 busy: the workflow w is active on the node',
    'n3 gone: the node was deleted',
  ]);
  t.is(it.actCount(), 0);
});

test('an event that happened while a workflow of the rule ran on the node is not its cause', async (t) => {
  const limits = { perNodePerDay: 9, perHour: 9 };
  const it = await scene({ ...launching, limits }, [alert(1, 'n'), alert(2, 'n')]);
  const row = { createdAt: '2025-12-31T23:59:59.000Z', status: 'succeeded', finishedAt: AT } as never;
  const ran = { holderOf: async () => undefined, workflow: async (id: string) => (it.begun.has(id) ? row : undefined) };
  await it.follow(new Life(), ran);
  t.like(
    (await it.runs()).find(({ seq }) => seq === 2),
    { status: 'refused', reason: 'busy' },
  );
});
