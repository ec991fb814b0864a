/** Failures on the real engine: groups by cause, what they have in common, and what users say of them. */
import test from 'ava';
import { openEngine } from '../../../support/engine/engine.ts';

const FLAKY_GRAPH = 'Graph.Failures.Flaky';

/** Fails `failures` times. */
const flaky = {
  friendlyName: 'Flaky',
  injectableName: FLAKY_GRAPH,
  tasks: [{ label: 'write', taskName: 'Task.Fixture.Flaky' }],
};

const whole = { skip: 0, limit: 20, filter: {} };

test('workflows of one cause are one failure, with the facts that its nodes share and the others lack', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph(flaky);
  const dell = { 'System Information': { 'Product Name': 'R640' }, 'BIOS Information': { Version: '2.19' } };
  const other = { 'System Information': { 'Product Name': 'R640' }, 'BIOS Information': { Version: '2.12' } };
  const run = async (failures: number) => {
    const node = await it.node();
    await it.engine.catalogs.add(node.id, 'dmi', failures > 0 ? dell : other);
    const options = { write: { failures, line: 'x', ledger: it.path('ledger') } };
    const { id } = await it.launch(FLAKY_GRAPH, options, node.id);
    return it.finished(id);
  };
  const failed = [await run(99), await run(99)];
  for (const _ of [1, 2, 3]) t.is((await run(0)).status, 'succeeded');
  const { items, total } = await it.engine.failures.list(whole);
  t.is(total, 1);
  const [failure] = items;
  const [first, last] = failed;
  t.like(failure, { graph: FLAKY_GRAPH, task: 'write', count: 2, nodes: 2, addressed: null, sample: last?.id });
  t.like(failure, { code: last?.error?.code, sampleMessage: last?.error?.message, retries: 2 });
  t.is(failure?.firstAt ?? null, first?.finishedAt ?? '');
  t.is(failure?.lastAt ?? null, last?.finishedAt ?? '');
  t.deepEqual(
    failure?.common.find(({ fact }) => fact === 'firmware'),
    { fact: 'firmware', value: '2.19', of: 2, failed: 2, succeeded: 0 },
  );
  t.true(failure?.common.some(({ fact, value }) => fact === 'options.write.failures' && value === 99));
  t.false(
    failure?.common.some(({ fact }) => fact === 'model'),
    'all have it',
  );
  const id = failure?.id ?? '';
  const act = (command: 'address' | 'reopen' | 'retry', note?: string) =>
    it.engine.failures.act(id, { command, operator: 'op', ...(note !== undefined && { note }) });
  t.like(await act('address', 'BIOS 2.19 is withdrawn'), { addressed: { by: 'op', note: 'BIOS 2.19 is withdrawn' } });
  const open = async () => (await it.engine.failures.list({ ...whole, filter: { addressed: false } })).total;
  t.is(await open(), 0);
  await run(99);
  t.is(await open(), 1, 'a new failure reopens it');
  t.like(await act('address'), { count: 3, addressed: { by: 'op' }, note: { text: 'BIOS 2.19 is withdrawn' } });
  t.like(await act('reopen', 'it came back'), { addressed: null, note: { text: 'it came back', command: 'reopen' } });
  const { action = '' } = (await act('retry')) ?? {};
  t.is((await it.engine.bulkActions.get(action))?.items.length, 3);
  t.is(await it.engine.failures.act('none', { command: 'address' }), undefined);
  t.is((await it.engine.failures.list(whole, new Date(Date.now() + 60_000).toISOString())).total, 0);
});

test('failures are sorted by a field of their own', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  await it.engine.library.putGraph(flaky);
  const [few, many] = ['Graph.Failures.Another', FLAKY_GRAPH];
  await it.engine.library.putGraph({ ...flaky, injectableName: few });
  const options = { write: { failures: 99, line: 'x', ledger: it.path('ledger') } };
  const node = await it.node();
  for (const graph of [many, many, few]) await it.finished((await it.launch(graph, options, node.id)).id);
  const graphs = async (sort?: Record<string, 1 | -1>) =>
    (await it.engine.failures.list({ ...whole, ...(sort && { sort }) })).items.map(({ graph }) => graph);
  t.deepEqual(await graphs(), [few, many], 'the newest first');
  const { items } = await it.engine.failures.list({ ...whole, sort: { count: -1 } });
  t.like(items[0], { count: 2, nodes: 1, retries: 1 }, 'a retry repeats the newest run on a node');
  t.deepEqual(await graphs({ count: -1 }), [many, few]);
  t.deepEqual(await graphs({ count: 1 }), [few, many]);
  t.deepEqual(await graphs({ firstAt: 1 }), [many, few]);
  t.deepEqual(await graphs({ lastAt: -1 }), [few, many]);
});
