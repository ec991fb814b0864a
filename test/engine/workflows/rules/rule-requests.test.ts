/** Rules on the real engine: what they start, once, and what they leave alone. */
import test, { type ExecutionContext } from 'ava';
import type { NewRule } from '../../../../engine/api-port/rules.ts';
import type { ConfigFile } from '../../../../engine/platform/config/config.ts';
import { openEngine } from '../../../support/engine/engine.ts';

const NOOP = 'Graph.noop-example';
const UPDATES = { type: '^node$', action: '^updated$' };

async function scene(t: ExecutionContext, config: ConfigFile = {}) {
  const it = await openEngine(config);
  t.teardown(() => it.close());
  const { id: node } = await it.node();
  const create = (rule: Partial<NewRule>) => it.engine.rules.create({ name: 'r', on: UPDATES, ...rule }, 'op');
  const enabled = async (rule: Partial<NewRule>) => {
    const { id } = await create(rule);
    await it.engine.rules.change(id, { enabled: true });
    return id;
  };
  const update = (id = node) => it.engine.nodes.update(id, { name: `renamed ${Math.random()}` });
  const runs = async (id: string) =>
    ((await it.engine.rules.runs(id, { skip: 0, limit: 100, filter: {} }))?.items ?? []).toReversed();
  const runCount = (id: string, count: number) => it.until(async () => (await runs(id)).length >= count);
  const settled = (id: string) => it.until(async () => (await runs(id)).every(({ status }) => status !== 'pending'));
  return { it, node, create, enabled, update, runs, runCount, settled };
}

test('a rule starts its graph as a workflow of its creator, on events after it was enabled, within its limits, also over a restart', async (t) => {
  const { it, node, enabled, update, runs, runCount, settled } = await scene(t);
  await update();
  const id = await enabled({ launch: { name: NOOP } });
  await update();
  await runCount(id, 1);
  await settled(id);
  const [run] = await runs(id);
  t.like(run, { status: 'started', node, type: 'node', action: 'updated', rule: id });
  t.like(await it.finished(run?.workflow ?? ''), { node, graphName: NOOP, operator: 'op', rule: id });
  await it.engine.close();
  await it.open();
  await update();
  await runCount(id, 2);
  const [, second] = await runs(id);
  t.like(second, { status: 'refused', reason: 'limit' });
  t.regex(second?.message ?? '', /perNodePerDay is 1/);
  await it.until(() => it.of(id, 'skipped').length === 1);
  t.like(it.of(id, 'skipped')[0], { severity: 'warning', nodeId: node, data: { event: second?.event } });
  t.is((await runs(id)).length, 2);
});

test('a rule with a hold adds it once, and keeps off the node as long as it holds', async (t) => {
  const { it, node, enabled, update, runs, runCount, settled } = await scene(t);
  const hold = { reason: 'it was renamed', forMinutes: 30 };
  const id = await enabled({ hold, limits: { perNodePerDay: 5 } });
  await update();
  await runCount(id, 1);
  await settled(id);
  const [run] = await runs(id);
  const [added, ...others] = (await it.engine.holds.list({ skip: 0, limit: 10, filter: { node } })).items;
  t.like(added, { id: run?.hold, kind: 'fault', reason: hold.reason, createdBy: 'op', blocks: ['launch'] });
  t.is(Date.parse(added?.until ?? '') - Date.parse(run?.createdAt ?? ''), 30 * 60_000);
  t.deepEqual(others, []);
  await update();
  await runCount(id, 2);
  t.like((await runs(id))[1], { status: 'refused', reason: 'held' });
});

test('a rule never acts on an event of its own workflow, nor of a retry of it', async (t) => {
  const { it, node, enabled, runs, runCount, settled } = await scene(t);
  const on = { type: '^graph$', action: '^finished$', graphName: 'noop' };
  const id = await enabled({ on, launch: { name: NOOP }, limits: { perNodePerDay: 9 } });
  await it.launch(NOOP, {}, node);
  await runCount(id, 1);
  await settled(id);
  const [run] = await runs(id);
  await it.finished(run?.workflow ?? '');
  const retried = await it.engine.launches.retry(run?.workflow ?? '', { from: 'start', options: {} });
  await it.finished(retried?.id ?? '');
  // Events are read in their order: when this one is decided, those before are.
  const { id: other } = await it.node();
  await it.launch(NOOP, {}, other);
  await runCount(id, 2);
  t.deepEqual(
    (await runs(id)).map((each) => each.node),
    [node, other],
  );
});

test('a test names the events of the log on which a rule would have acted, and starts nothing', async (t) => {
  const { it, node, create, update } = await scene(t);
  const { id } = await create({ launch: { name: NOOP } });
  const { id: other } = await it.node();
  await update();
  await update();
  await update(other);
  const trial = await it.engine.rules.test(id);
  t.deepEqual(
    trial?.events.map(({ nodeId }) => nodeId),
    [node, other],
  );
  t.like(trial?.limited, { length: 1, 0: { nodeId: node, reason: 'limit' } });
  t.like(trial, { since: null, isComplete: true });
  const later = await it.engine.rules.test(id, new Date(Date.now() + 60_000).toISOString());
  t.like(later, { events: [], limited: [] });
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: {} })).total, 0);
});

test('secrets in options are stored encrypted, and a launch that may need a ticket is refused when it is made', async (t) => {
  const { create } = await scene(t, { approvals: [{ graphs: ['Graph.Demo.InstallOs'] }] });
  const options = { defaults: { password: 'hunter2-secret' } };
  const made = await create({ launch: { name: NOOP, options } });
  t.deepEqual(made.launch?.options, { defaults: { password: 'REDACTED' } });
  await t.throwsAsync(create({ launch: { name: 'Graph.Demo.InstallOs' } }), { code: 'TICKET_REQUIRED' } as never);
});

test('a launch that needs a ticket only since the rule was enabled is refused when the rule would act', async (t) => {
  const { it, create, update } = await scene(t);
  const { id } = await create({ launch: { name: NOOP } });
  await it.engine.rules.change(id, { enabled: true });
  await it.restart({ approvals: [{ graphs: [NOOP] }] });
  await update();
  const runs = async () => (await it.engine.rules.runs(id, { skip: 0, limit: 5, filter: {} }))?.items ?? [];
  await it.until(async () => (await runs())[0]?.status === 'refused');
  t.like((await runs())[0], { reason: 'rejected' });
  t.regex((await runs())[0]?.message ?? '', /^TICKET_REQUIRED: /);
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: {} })).total, 0);
});
