/** Trees of workflows: their limits of depth and size, and how a cancel of the root ends them. */
import anyTest, { type TestFn } from 'ava';
import type { WorkflowRow } from '../../../engine/durable/step/row.ts';
import { isActive } from '../../../engine/vocabulary/states.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';

const test = anyTest as TestFn<{ daemon: TestEngine }>;
const limits = { maxDepth: 4, maxDescendants: 20 };
/** Processes and launches that are open at the same time may exceed the size. */
const CONCURRENT = 100;

test.before(async (t) => {
  const daemon = await openEngine({ childGraphs: limits });
  t.context.daemon = daemon;
  const runs = (label: string, graphName: string) => ({
    label,
    taskName: 'Task.Graph.Run',
    optionOverrides: { graphName },
  });
  const put = (injectableName: string, tasks: object[]) =>
    daemon.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks });
  await put('Graph.Twice', [
    { ...runs('left', 'Graph.Twice'), ignoreFailure: true },
    { ...runs('right', 'Graph.Twice'), ignoreFailure: true },
  ]);
  await put('Graph.Once', [runs('again', 'Graph.Once')]);
  await put('Graph.Leaf', [{ label: 'waits', taskName: 'Task.Sleep', optionOverrides: { duration: 3_600_000 } }]);
  await put(
    'Graph.Wide',
    Array.from({ length: 15 }, (_, at) => runs(`leaf-${at}`, 'Graph.Leaf')),
  );
});
test.after.always((t) => t.context.daemon?.close());

/** All descendants of a workflow. */
async function descendantsOf({ engine }: TestEngine, root: string): Promise<WorkflowRow[]> {
  const { items } = await engine.workflows.list({ skip: 0, limit: 1_000, filter: { root } });
  return items;
}

test('a graph that launches itself twice is stopped by the limits, and ends', async (t) => {
  const { daemon } = t.context;
  const { id } = await daemon.launch('Graph.Twice');
  t.is((await daemon.finished(id)).status, 'succeeded');
  const all = await descendantsOf(daemon, id);
  t.true(all.length >= limits.maxDescendants && all.length < limits.maxDescendants + CONCURRENT);
  t.true(all.every(({ depth = 0 }) => depth <= limits.maxDepth));
  t.true(all.every(({ status }) => !isActive(status)));
  const codes = new Set(all.flatMap(({ tasks }) => tasks.flatMap(({ error }) => error?.code ?? [])));
  t.deepEqual([...codes], ['TOO_MANY_CHILDREN']);
});

test('a graph that launches itself once is stopped at the maximum depth', async (t) => {
  const { daemon } = t.context;
  const { id } = await daemon.launch('Graph.Once');
  t.is((await daemon.finished(id)).status, 'failed');
  const all = await descendantsOf(daemon, id);
  t.deepEqual(all.map(({ depth }) => depth).sort(), [1, 2, 3, 4]);
  const deepest = all.find(({ depth }) => depth === limits.maxDepth);
  t.like(deepest?.tasks[0]?.error, { code: 'TOO_MANY_CHILDREN' });
  t.regex(deepest?.tasks[0]?.error?.message ?? '', /childGraphs\.maxDepth is 4/);
});

test('the options of a child are data: a text that a task reported is not a template there', async (t) => {
  const { daemon } = t.context;
  const write = (name: string, line: string) => ({
    label: name,
    taskName: 'Task.Fixture.Write',
    optionOverrides: { ledger: daemon.path('ledger'), line },
  });
  const put = (injectableName: string, tasks: object[]) =>
    daemon.engine.library.putGraph({ friendlyName: injectableName, injectableName, tasks });
  await put('Graph.Child', [write('says', '?')]);
  await put('Graph.Parent', [
    write('reports', '{{ "{{ env.missing }}, {{#" }}'),
    {
      label: 'runs',
      taskName: 'Task.Graph.Run',
      optionOverrides: { graphName: 'Graph.Child', graphOptions: { says: { line: '{{ context.reports.line }}' } } },
      waitOn: { reports: 'succeeded' },
    },
  ]);
  t.is((await daemon.finished((await daemon.launch('Graph.Parent')).id)).status, 'succeeded');
  t.deepEqual(await daemon.lines('ledger'), Array(2).fill('{{ env.missing }}, {{#'));
});

test('a cancel of the root ends a tree whose leaves wait, and no child begins after it', async (t) => {
  const { daemon } = t.context;
  const { id } = await daemon.launch('Graph.Wide');
  await daemon.until(async () => (await descendantsOf(daemon, id)).length === 15);
  await daemon.engine.control.cancel(id);
  t.is((await daemon.finished(id)).status, 'cancelled');
  await daemon.until(async () => (await descendantsOf(daemon, id)).every(({ status }) => !isActive(status)));
  t.true((await descendantsOf(daemon, id)).every(({ status }) => status === 'cancelled'));
});

test('a cancel at any moment during the growth of a tree ends it, and no branch keeps growing', async (t) => {
  const { daemon } = t.context;
  for (const grown of [0, 1, 2, 4, 8]) {
    const { id } = await daemon.launch('Graph.Twice');
    await daemon.until(async () => (await descendantsOf(daemon, id)).length >= grown);
    await daemon.engine.control.cancel(id).catch(() => {}); // it may have ended earlier
    await daemon.finished(id);
    await daemon.until(async () => (await descendantsOf(daemon, id)).every(({ status }) => !isActive(status)));
    const before = (await descendantsOf(daemon, id)).length;
    // Long enough for many more, if any still began.
    await daemon.finished((await daemon.launch('Graph.noop-example')).id);
    t.is((await descendantsOf(daemon, id)).length, before, `cancelled at ${grown}`);
  }
});
