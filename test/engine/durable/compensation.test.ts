/** Compensations on the real engine: the node, the events, and trees of workflows. */
import anyTest, { type TestFn } from 'ava';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { COMPENSATE_GRAPH, compensateOptions as options } from '../../support/data/compensate-options.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.beforeEach(async (t) => {
  t.context.it = await openEngine();
});
test.afterEach.always((t) => t.context.it?.close());

test('the node is occupied until the compensations have ended, and each is published as a task', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const given = options(it.dataDir, { ms: { second: 10_000, 'compensate-first': 700 } });
  const { id } = await it.launch(COMPENSATE_GRAPH, given, node.id);
  await it.until(async () => (await it.lines('ledger')).includes('x second'));
  t.is((await it.engine.control.cancel(id))?.status, 'running', 'the cancel does not wait for the compensations');
  await it.until(async () => (await it.lines('ledger')).includes('x first undone'));
  t.is(
    (await it.engine.control.cancel(id))?.status,
    'running',
    'a repeated cancel is accepted, and interrupts nothing',
  );
  await t.throwsAsync(it.launch('Graph.noop-example', {}, node.id), { message: /single target/ });
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  t.is(row.error, null);
  await it.until(() => it.of(id, 'finished').length === 1);
  const shown = it
    .of(id, 'progress.updated')
    .map(({ data }) => data.taskProgress as { label: string; state: string })
    .filter(({ label }) => label === 'compensate-first')
    .map(({ state }) => state);
  t.deepEqual(shown, ['running', 'succeeded']);
  const { items } = await it.engine.workflows.history(id, { skip: 0, limit: 100, filter: {} });
  t.true(items.some(({ event }) => event === 'workflow.compensating'));
  await it.launch('Graph.noop-example', {}, node.id);
});

test('a cancelled workflow waits for the compensations of its child, and only then frees the node', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Parent',
    tasks: [{ label: 'child', taskName: 'Task.Graph.Run' }],
  });
  const node = await it.node();
  // Longer than the grace period of an activity.
  const graphOptions = options(it.dataDir, { ms: { second: 60_000, 'compensate-first': 11_000 } });
  const { id } = await it.launch(
    'Graph.Test.Parent',
    { child: { graphName: COMPENSATE_GRAPH, graphOptions } },
    node.id,
  );
  await it.until(async () => (await it.lines('ledger')).includes('x second'));
  await it.engine.control.cancel(id);
  await it.until(async () => (await it.lines('ledger')).includes('x first undone'));
  t.true(isActive((await it.get(id)).status));
  await t.throwsAsync(it.launch('Graph.noop-example', {}, node.id), { message: /single target/ });
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  t.is(row.tasks[0]?.error?.code, 'TASK_CANCELLED', 'the child was not abandoned');
  t.deepEqual(await it.lines('ledger'), ['x first', 'x second', 'x first undone']);
});

test('a compensation may run a graph, although its workflow was cancelled', async (t) => {
  const { it } = t.context;
  const optionOverrides = { ledger: it.path('ledger'), line: 'undone' };
  await it.engine.library.putGraph({
    friendlyName: 'Undo',
    injectableName: 'Graph.Test.Undo',
    tasks: [{ label: 'it', taskName: 'Task.Fixture.Write', optionOverrides }],
  });
  const given = { first: { ledger: it.path('ledger'), line: 'done' }, hang: { ledger: it.path('hanging'), line: 'x' } };
  const { id } = await it.launch('Graph.Fixture.CompensateByGraph', given);
  await it.until(async () => (await it.lines('hanging')).length > 0);
  await it.engine.control.cancel(id);
  const row = await it.finished(id);
  t.is(row.error, null);
  t.is(row.status, 'cancelled');
  t.deepEqual(await it.lines('ledger'), ['done', 'undone']);
});
