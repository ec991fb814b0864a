/** Holds: no start of a workflow passes them, whatever starts it. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { NewHold } from '../../../../engine/api-port/holds.ts';
import { markHeldNodes } from '../../../../engine/inventory/holds/hold-reconcilers.ts';
import { markHeld } from '../../../../engine/inventory/holds/mark-held.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

async function open(t: ExecutionContext): Promise<TestEngine> {
  const it = await openEngine();
  t.teardown(() => it.close());
  return it;
}

const GRAPH = 'Graph.noop-example';
const repair: NewHold = { kind: 'repair', reason: 'a fan' };

/** @returns the code of the rejection; undefined: it was launched */
const codeOf = (launch: Promise<unknown>): Promise<string | undefined> =>
  launch.then(
    () => undefined,
    (error: unknown) => (error as NodewrightError).code,
  );

test('a launch on a held node is refused, naming each hold, its user and its reason; so does the plan', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  const first = await it.engine.holds.add(id, repair, 'alice');
  const second = await it.engine.holds.add(
    id,
    { kind: 'legal', reason: 'a case', until: '2099-01-01T00:00:00Z' },
    'bob',
  );
  const error = (await t.throwsAsync(() => it.launch(GRAPH, {}, id))) as NodewrightError;
  t.is(error.code, 'NODE_HELD');
  t.is(error.status, 409);
  for (const text of ['repair', 'alice', 'a fan', first.id, 'legal', 'bob', 'a case', second.id, '2099'])
    t.true(error.message.includes(text), text);
  t.is(error.violations?.length, 2);
  const { rejections } = await it.engine.plans.plan({ name: GRAPH, options: {}, nodeId: id });
  t.deepEqual(
    rejections.map(({ code }) => code),
    ['NODE_HELD', 'NODE_HELD'],
  );
  await it.engine.holds.remove(id, first.id);
  t.is(await codeOf(it.launch(GRAPH, {}, id)), 'NODE_HELD');
  await it.engine.holds.remove(id, second.id);
  t.is((await it.finished((await it.launch(GRAPH, {}, id)).id)).status, 'succeeded');
  t.is((await it.finished((await it.launch(GRAPH, {}, id)).id)).status, 'succeeded');
});

test('each way to start a workflow meets the hold: batch, retry, child on another node', async (t) => {
  const it = await open(t);
  const [held, free] = [(await it.node()).id, (await it.node()).id];
  const ended = await it.finished((await it.launch(GRAPH, {}, held)).id);
  await it.engine.holds.add(held, repair, 'alice');
  t.is(await codeOf(it.engine.launches.retry(ended.id, { from: 'start' })), 'NODE_HELD');
  const batch = await it.engine.batches.create({ name: GRAPH, options: {}, nodes: [held, free] });
  await it.until(async () => (await it.engine.batches.get(batch.id))?.status === 'finished');
  t.like(await it.engine.batches.get(batch.id), {
    rejected: [{ node: held, code: 'NODE_HELD' }],
    launched: [{ node: free }],
  });
  const options = { defaults: { graphName: GRAPH, graphOptions: { target: held } } };
  const parent = await it.finished(
    (
      await it.launch('Graph.Test.Run', options, free).catch(async () => {
        await it.engine.library.putGraph({
          friendlyName: 'Run',
          injectableName: 'Graph.Test.Run',
          tasks: [{ label: 'run', taskName: 'Task.Graph.Run' }],
        });
        return it.launch('Graph.Test.Run', options, free);
      })
    ).id,
  );
  t.like(parent, { status: 'failed', error: { code: 'NODE_HELD' } });
});

test('a hold is not answered while a launch that took the node before cannot begin its workflow', async (t) => {
  const { id } = await (await open(t)).node();
  const row = { workflow: 'one that a process took' };
  const send = { node: async () => ({ changed: true, row, settled: Promise.resolve(false) }) };
  const error = await t.throwsAsync(() => markHeld(send as never, id, 'a hold'));
  t.is((error as NodewrightError).code, 'UNAVAILABLE');
  t.is((error as NodewrightError).status, 503);
});

test('a workflow that runs when a hold begins continues, with its children', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  const { id: workflow } = await it.launch('Graph.Demo.InstallOs', {}, id);
  await it.engine.holds.add(id, repair, 'alice');
  for (const n of [1, 2]) await it.engine.notifications.notify({ n }, id);
  t.is((await it.finished(workflow)).status, 'succeeded');
  t.is(await codeOf(it.launch(GRAPH, {}, id)), 'NODE_HELD');
});

test('a manager overrides holds, but no legal one; the workflow and its history say so', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  const fan = await it.engine.holds.add(id, repair, 'alice');
  const override = { holds: [fan.id], reason: 'the fire' };
  const launch = (over = override) =>
    it.engine.launches.launch({ name: GRAPH, options: {}, nodeId: id, operator: 'boss', override: over });
  const row = await launch();
  const shown = { holds: [{ id: fan.id, kind: 'repair', reason: 'a fan', createdBy: 'alice' }], reason: 'the fire' };
  t.deepEqual(row.override, { ...shown, by: 'boss' });
  const { items } = await it.engine.workflows.history(row.id, { skip: 0, limit: 10, filter: {} });
  t.like(items[0], { event: 'holds.overridden', by: 'boss', override: shown });
  await it.finished(row.id);
  t.is(await codeOf(launch({ holds: ['none'], reason: 'x' })), 'INVALID');
  const other = await it.engine.holds.add(id, { kind: 'other', reason: 'x' }, 'carol');
  t.is(await codeOf(launch()), 'NODE_HELD', 'it names only one of them');
  await it.engine.holds.remove(id, other.id);
  const legal = await it.engine.holds.add(id, { kind: 'legal', reason: 'a case' }, 'bob');
  const error = await t.throwsAsync(() => launch({ holds: [fan.id, legal.id], reason: 'x' }));
  t.regex(error?.message ?? '', /bob: a case.*cannot be overridden/);
  t.notRegex(error?.message ?? '', /a fan/);
});

test('a hold of the power refuses only graphs that change the power', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  await it.engine.obms.put(id, { service: 'noop-obm-service' });
  await it.engine.holds.add(id, { kind: 'maintenance', reason: 'hands inside', blocks: ['power', 'poll'] }, 'alice');
  await it.finished((await it.launch(GRAPH, {}, id)).id);
  t.is(await codeOf(it.launch('Graph.PowerOff.Node', {}, id)), 'NODE_HELD');
  t.is(await codeOf(it.launch('Graph.Reboot.Node', {}, id)), 'NODE_HELD');
  t.like((await it.engine.plans.plan({ name: 'Graph.PowerOff.Node', options: {}, nodeId: id })).rejections, [
    { code: 'NODE_HELD' },
  ]);
});

test('a hold ends by itself, with an event, and launches pass again', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  const hold = await it.engine.holds.add(id, repair, 'alice');
  t.is(await codeOf(it.launch(GRAPH, {}, id)), 'NODE_HELD');
  await it.engine.holds.change(id, hold.id, { until: new Date(Date.now() + 100).toISOString() });
  await it.until(() => it.of(id, 'hold.removed').length > 0);
  t.like(it.of(id, 'hold.removed')[0]?.data, { by: null, hold: { id: hold.id } });
  await it.finished((await it.launch(GRAPH, {}, id)).id);
});

test('holds and launches in any order: a launch is refused exactly while a hold of launches is there', async (t) => {
  const it = await open(t);
  const { id } = await it.node();
  const holds = new Map<string, boolean>();
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add'), launch: fc.boolean() }),
    fc.record({ kind: fc.constant('remove'), at: fc.nat(5) }),
    fc.record({ kind: fc.constant('launch') }),
  );
  const check = async (steps: readonly { kind: string; launch?: boolean; at?: number }[]) => {
    for (const { kind, launch = true, at = 0 } of steps) {
      const oldest = [...holds.keys()][at % Math.max(1, holds.size)];
      if (kind === 'add') {
        const blocks = [launch ? ('launch' as const) : ('poll' as const)];
        holds.set((await it.engine.holds.add(id, { ...repair, blocks })).id, launch);
      } else if (kind === 'remove' && oldest !== undefined) {
        holds.delete(oldest);
        t.true(await it.engine.holds.remove(id, oldest));
      } else if (kind === 'launch') {
        const isHeld = [...holds.values()].includes(true);
        const launched = await it.launch(GRAPH, {}, id).catch((error: NodewrightError) => error);
        t.is(launched instanceof NodewrightError ? launched.code : 'launched', isHeld ? 'NODE_HELD' : 'launched');
        if (!(launched instanceof NodewrightError)) await it.finished(launched.id);
      }
    }
    for (const hold of holds.keys()) await it.engine.holds.remove(id, hold);
    holds.clear();
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 10 }), check), { numRuns: 10 });
});

test('of a hold and launches at the same time, each launch after its answer is refused', async (t) => {
  const it = await open(t);
  for (let round = 0; round < 5; round += 1) {
    const { id } = await it.node();
    let isAnswered = false;
    const added = it.engine.holds.add(id, repair).then(() => {
      isAnswered = true;
    });
    for (let n = 0; n < 10; n += 1) {
      const mayPass = !isAnswered;
      const launched = await it.launch(GRAPH, {}, id).catch((error: NodewrightError) => error);
      if (launched instanceof NodewrightError) t.is(launched.code, 'NODE_HELD');
      else {
        t.true(mayPass, `round ${round}, launch ${n}`);
        await it.finished(launched.id);
      }
      if (isAnswered && n > 5) break;
    }
    await added;
    t.is(await codeOf(it.launch(GRAPH, {}, id)), 'NODE_HELD');
  }
});

test('a stored hold whose process died before it marked the actor is marked by the next pass', async (t) => {
  const marks: string[] = [];
  const held = ['a', 'b', 'c'].map((node) => ({ id: `hold of ${node}`, node }));
  const actors = [
    { id: 'a', snapshot: { value: 'idle', context: { holdMark: 'hold of a' } } },
    { id: 'b', snapshot: { value: 'idle', context: {} } },
  ];
  await markHeldNodes(
    {
      stored: { find: async () => held } as never,
      actors: { find: async () => actors } as never,
      mark: async (node, mark) => void marks.push(`${node} ${mark}`),
    },
    async () => true,
  );
  t.deepEqual(marks, ['b hold of b', 'c hold of c']);
});
