/** Notifications, cancels and child workflows on the real engine. */
import anyTest, { type TestFn } from 'ava';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  const it = await openEngine();
  t.context.it = it;
  await it.engine.library.putGraph({
    friendlyName: 'Three parts',
    injectableName: 'Graph.Test.Parts',
    tasks: [
      { label: 'running', taskName: 'Task.Fixture.Hang' },
      { label: 'waiting', taskName: 'Task.Wait.Notification' },
      { label: 'sleeping', taskName: 'Task.Sleep', optionOverrides: { duration: 3_600_000 } },
      { label: 'later', taskName: 'Task.noop', waitOn: { running: 'finished' } },
    ],
  });
  await it.engine.library.putGraph({
    friendlyName: 'Parent',
    injectableName: 'Graph.Test.Parent',
    tasks: [{ label: 'child', taskName: 'Task.Graph.Run' }],
  });
});
test.after.always((t) => t.context.it?.close());

const output = (row: { tasks: { output: unknown }[] }, at: number) => row.tasks[at]?.output;

test('two awaited notifications finish the installation, and their parameters are the outputs of the tasks', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  await it.engine.notifications.notify({ nodeId: node.id, disk: 'sda' }, node.id);
  await it.reached(id, 'wait-os-booted', 'waiting');
  await it.engine.notifications.notify({ nodeId: node.id, ip: '10.0.0.1' }, node.id);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.deepEqual(output(row, 0), { nodeId: node.id, disk: 'sda' });
  t.deepEqual(output(row, 1), { nodeId: node.id, ip: '10.0.0.1' });
});

test('notifications before the wait are kept, in order', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'Late waits',
    injectableName: 'Graph.Test.LateWaits',
    tasks: [
      { label: 'first', taskName: 'Task.Sleep', optionOverrides: { duration: 300 } },
      { label: 'a', taskName: 'Task.Wait.Notification', waitOn: { first: 'succeeded' } },
      { label: 'b', taskName: 'Task.Wait.Notification', waitOn: { a: 'succeeded' } },
      { label: 'c', taskName: 'Task.Wait.Notification', waitOn: { b: 'succeeded' } },
    ],
  });
  const node = await it.node();
  const { id } = await it.launch('Graph.Test.LateWaits', {}, node.id);
  for (const n of [1, 2, 3]) await it.engine.notifications.notify({ n }, node.id);
  const row = await it.finished(id);
  t.deepEqual(
    [1, 2, 3].map((at) => output(row, at)),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  );
});

test('a notification for an idle node is not kept for its next workflow', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  await it.engine.notifications.notify({ early: true }, node.id);
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  await it.reached(id, 'wait-os-installed', 'waiting');
  await it.engine.control.cancel(id);
  const again = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  await it.engine.notifications.notify({ n: 1 }, node.id);
  t.deepEqual(output(await it.reached(again.id, 'wait-os-booted', 'waiting'), 0), { n: 1 });
  await it.engine.control.cancel(again.id);
});

test('when a notification is answered, the wait that received it has ended, and its event precedes its consequences', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  await it.reached(id, 'wait-os-installed', 'waiting');
  const from = it.events.length;
  for (const [at, status] of (['running', 'succeeded'] as const).entries()) {
    await it.engine.notifications.notify({ n: at }, node.id);
    const row = await it.engine.workflows.get(id);
    t.is(row?.status, status);
    t.is(row?.tasks[at]?.state, 'succeeded');
    t.deepEqual(row?.tasks[at]?.output, { n: at });
  }
  const own = it.events.slice(from).filter(({ key }) => key.includes(id) || key === `notification.${node.id}`);
  const keys = own.map(({ key }) => key.split('.').slice(0, 2).join('.'));
  t.deepEqual(keys, [
    `notification.${node.id}`,
    'graph.progress',
    'graph.progress',
    `notification.${node.id}`,
    'graph.progress',
    'graph.finished',
  ]);
});

test('a notification for a node that was removed a moment ago is rejected by its actor', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.is(await it.engine.launches.nodeIdOf(node.id), node.id);
  await it.engine.nodes.remove(node.id);
  await t.throwsAsync(it.engine.notifications.notify({}, node.id), { code: 'NOT_FOUND' });
});

test.serial(
  'a broadcast reaches every node with an active workflow, and a workflow without a node, once each',
  async (t) => {
    const { it } = t.context;
    const nodes = await Promise.all([it.node(), it.node(), it.node()]);
    const options = { defaults: { broadcast: true } };
    const rows = await Promise.all(nodes.map((node) => it.launch('Graph.Demo.InstallOs', options, node.id)));
    rows.push(await it.launch('Graph.Demo.InstallOs', options));
    const other = await it.launch('Graph.Demo.InstallOs', {}, (await it.node()).id);
    await Promise.all([...rows, other].map(({ id }) => it.reached(id, 'wait-os-installed', 'waiting')));
    await it.engine.notifications.notify({ all: 'go on' });
    for (const { id } of rows) {
      const row = await it.reached(id, 'wait-os-booted', 'waiting');
      t.deepEqual(output(row, 0), { all: 'go on' });
    }
    await it.engine.notifications.notify({ all: 'once more' });
    for (const { id } of rows) t.is((await it.finished(id)).status, 'succeeded');
    t.is((await it.states(other.id))['wait-os-installed'], 'waiting', 'a wait that takes no broadcasts');
    await it.engine.control.cancel(other.id);
  },
);

test.serial('a cancel ends waiting, running and unstarted tasks, and frees the node', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const options = { running: { ledger: it.path('parts'), line: 'act', stopMs: 200 } };
  const { id } = await it.launch('Graph.Test.Parts', options, node.id);
  await it.until(async () => (await it.lines('parts')).includes('act begins'));
  const cancelled = await it.engine.control.cancelOn(node.id);
  t.is(cancelled?.id, id);
  await t.throwsAsync(() => it.launch('Graph.noop-example', {}, node.id), { message: /Unable to run multiple/ });
  const again = await Promise.all([it.engine.control.cancelOn(node.id), it.engine.control.cancel(id)]);
  t.true(again.every((row) => row === undefined || row.id === id));
  const row = await it.finished(id);
  t.is(row.status, 'cancelled');
  const all = { running: 'cancelled', waiting: 'cancelled', sleeping: 'cancelled', later: 'cancelled' };
  t.deepEqual(await it.states(id), all);
  t.deepEqual(await it.lines('parts'), ['act begins', 'act stops']);
  t.is(await it.engine.control.cancelOn(node.id), undefined);
  t.is((await it.engine.control.cancel(id))?.status, 'cancelled');
  t.is((await it.finished((await it.launch('Graph.noop-example', {}, node.id)).id)).status, 'succeeded');
});

test('a workflow that has ended otherwise cannot be cancelled', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.noop-example');
  await it.finished(id);
  await t.throwsAsync(() => it.engine.control.cancel(id), { message: /ended succeeded/ });
  t.is(await it.engine.control.cancel('0b6f8d0e-0000-4000-8000-000000000000'), undefined);
});

test('an active workflow is not deleted, an ended one is, with its history', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Demo.InstallOs');
  await t.throwsAsync(() => it.engine.control.remove(id), { message: /cancel it before/ });
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.true(await it.engine.control.remove(id));
  t.is(await it.engine.workflows.get(id), undefined);
  t.is((await it.engine.workflows.history(id, { skip: 0, limit: 10, filter: {} })).items.length, 0);
  t.false(await it.engine.control.remove(id));
});

test('a child shares the node of its parent, takes its notifications, and returns its output', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.Test.Parent', { child: { graphName: 'Graph.Demo.InstallOs' } }, node.id);
  await it.engine.notifications.notify({ n: 1 }, node.id);
  await it.engine.notifications.notify({ n: 2 }, node.id);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.like(output(row, 0), { output: { installed: { n: 1 }, booted: { n: 2 } } });
});

test('a child on another node holds that node, and a busy node fails the task run', async (t) => {
  const { it } = t.context;
  const [here, there] = [await it.node(), await it.node()];
  const options = { child: { graphName: 'Graph.Demo.InstallOs', nodeId: there.id } };
  const { id } = await it.launch('Graph.Test.Parent', options, here.id);
  await it.until(async () => (await it.engine.workflows.activeOn(there.id)) !== undefined);
  const other = await it.launch('Graph.Test.Parent', options);
  t.is((await it.finished(other.id)).tasks[0]?.error?.code, 'NODE_BUSY');
  await it.engine.control.cancelOn(here.id);
  t.is((await it.finished(id)).status, 'cancelled');
  t.is(await it.engine.workflows.activeOn(there.id), undefined);
});

test('cancelling a parent cancels its child, and a cancelled child cancels the task run that waits for it', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const start = () => it.launch('Graph.Test.Parent', { child: { graphName: 'Graph.Demo.InstallOs' } }, node.id);
  const childOf = async (parent: string) => {
    await it.until(async () => (await children(parent)).length === 1);
    return (await children(parent))[0] as string;
  };
  const children = async (parent: string) => {
    const { items } = await it.engine.workflows.list({ skip: 0, limit: 10, filter: { node: node.id } });
    return items.flatMap((row) => (row.parent?.workflow === parent ? [row.id] : []));
  };
  const first = await start();
  const child = await childOf(first.id);
  await it.engine.control.cancel(first.id);
  t.is((await it.finished(first.id)).status, 'cancelled');
  t.is((await it.finished(child)).status, 'cancelled');

  const second = await start();
  await it.engine.control.cancel(await childOf(second.id));
  const row = await it.finished(second.id);
  t.is(row.tasks[0]?.state, 'cancelled');
  t.is(row.status, 'failed');
});

test('an unknown child graph fails the task run that launches it', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Test.Parent', { child: { graphName: 'Graph.Nowhere' } });
  const row = await it.finished(id);
  t.is(row.tasks[0]?.error?.message, 'Graph definition not found for Graph.Nowhere');
});

test('progress that a node reports is recorded, and is unchanged by a cancel of the workflow', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id, tasks } = await it.launch('Graph.Demo.InstallOs', {}, node.id);
  const taskId = tasks[0]?.instanceId as string;
  t.true(await it.engine.notifications.progress(taskId, { value: 1, maximum: 4, description: 'copying' }));
  await it.until(() => it.of(id, 'progress.updated').some((event) => JSON.stringify(event.data).includes('copying')));
  const event = it.of(id, 'progress.updated').at(-1);
  t.like(event?.data.taskProgress, { taskId, progress: { percentage: '25%', description: 'copying' } });
  t.false(await it.engine.notifications.progress('nobody', { value: 1, maximum: 4, description: '' }));
  t.like((await it.get(id)).tasks[0]?.progress, { value: 1, maximum: 4, percentage: '25%' });
  await it.engine.control.cancel(id);
  const row = await it.finished(id);
  t.like(row.tasks[0], { state: 'cancelled', progress: { percentage: '25%' } });
  t.like(row.progress, { value: 0, percentage: '0%' });
  await it.until(() => it.of(id, 'finished').length === 1);
  t.like(it.of(id, 'finished')[0]?.data, { status: 'cancelled', progress: { percentage: '0%' } });
});
