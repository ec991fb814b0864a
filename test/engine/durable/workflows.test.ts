/** The main job on the real engine: launch, watch, signal, cancel. */
import anyTest, { type TestFn } from 'ava';
import type { Page } from '../../../engine/api-port/index.ts';
import type { EventPayload } from '../../../engine/vocabulary/event.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine({ shellCommands: ['/bin/echo', '/bin/false'] });
});
test.after.always((t) => t.context.it?.close());

test('one task, then one, then two in parallel', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.noop-example', {}, node.id);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.deepEqual(new Set(row.tasks.map((task) => task.state)), new Set(['succeeded']));
  t.is(row.progress.percentage, '100%');
  const { items } = await it.engine.workflows.history(id, { skip: 0, limit: 100, filter: {} });
  const order = items.filter(({ event }) => event === 'task.succeeded').map(({ label }) => label);
  t.deepEqual(order.slice(0, 2), ['noop-1', 'noop-2']);
  t.deepEqual(order.slice(2).sort(), ['parallel-noop-1', 'parallel-noop-2']);
});

test('history pages are contiguous, oldest first', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.noop-example');
  await it.finished(id);
  const all = await it.engine.workflows.history(id, { skip: 0, limit: 1000, filter: {} });
  const paged = [];
  for (let skip = 0; skip < all.total; skip += 2) {
    paged.push(...(await it.engine.workflows.history(id, { skip, limit: 2, filter: {} })).items);
  }
  t.is(all.items.length, all.total);
  t.deepEqual(paged, all.items);
  t.deepEqual(
    [...all.items].sort((a, b) => a.version - b.version),
    all.items,
  );
});

test('history is filtered by the fields of its lines, and can be reversed', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.noop-example');
  await it.finished(id);
  const history = (page: Partial<Page>) =>
    it.engine.workflows.history(id, { skip: 0, limit: 1000, filter: {}, ...page });
  const all = await history({});
  const ends = all.items.filter(({ event }) => event === 'task.succeeded');
  t.deepEqual(await history({ filter: { event: 'task.succeeded' } }), { items: ends, total: 4 });
  const noop2 = all.items.filter(({ label, to }) => label === 'noop-2' && to === 'succeeded');
  t.deepEqual(await history({ filter: { label: 'noop-2', to: 'succeeded' } }), { items: noop2, total: 1 });
  const turned = [...all.items].reverse();
  t.deepEqual((await history({ sort: { at: -1 } })).items, turned);
  t.deepEqual((await history({ sort: { version: -1 }, skip: 1, limit: 3 })).items, turned.slice(1, 4));
  t.deepEqual((await history({ sort: { at: -1 }, skip: all.total - 1 })).items, all.items.slice(0, 1));
  t.deepEqual((await history({ sort: { at: -1 }, skip: all.total })).items, []);
  const pageOfEnds = { filter: { event: 'task.succeeded' }, skip: 1, limit: 2 };
  t.deepEqual((await history(pageOfEnds)).items, ends.slice(1, 3));
  t.deepEqual((await history({ ...pageOfEnds, sort: { at: -1 } })).items, [...ends].reverse().slice(1, 3));
});

test('the events of a workflow are one start, progress between, and one finish, in that order', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const { id } = await it.launch('Graph.noop-example', {}, node.id);
  await it.until(() => it.of(id, 'finished').length > 0);
  const mine = it.events.map(({ body }) => body as EventPayload).filter(({ typeId }) => typeId === id);
  t.is(mine[0]?.action, 'started');
  t.is(mine.at(-1)?.action, 'finished');
  t.is(it.of(id, 'started').length, 1);
  t.true(it.of(id, 'progress.updated').length >= 8);
  t.is(new Set(mine.map((event) => event.id)).size, mine.length);
  t.is(it.of(id, 'finished')[0]?.data.status, 'succeeded');
});

test('exactly one of fifty concurrent starts on a node wins, and the others name the holder', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  const tries = await Promise.allSettled(
    Array.from({ length: 50 }, () => it.launch('Graph.Demo.InstallOs', {}, node.id)),
  );
  const won = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const lost = tries.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(won.length, 1);
  t.deepEqual(new Set(lost.map((error) => error.code)), new Set(['NODE_BUSY']));
  t.is(lost[0].message, 'Unable to run multiple task graphs against a single target.');
  t.true(lost.every((error) => error.violations[0].message.includes(won[0]?.id)));
  const { total } = await it.engine.workflows.list({ skip: 0, limit: 10, filter: { node: node.id } });
  t.is(total, 1);
});

test('a node is free as soon as its workflow shows an end', async (t) => {
  const { it } = t.context;
  const node = await it.node();
  for (let n = 0; n < 5; n += 1) {
    const { id } = await it.launch('Graph.noop-example', {}, node.id);
    t.is((await it.finished(id)).status, 'succeeded');
  }
});

const rejected = [
  ['an unknown graph', 'Graph.Nowhere', {}, 'NOT_FOUND', 'Graph definition not found for Graph.Nowhere'],
  ['an unknown label', 'Graph.noop-example', { 'noop-9': {} }, 'INVALID_OPTIONS', 'options.noop-9'],
  [
    'an unknown option of the task',
    'Graph.noop-example',
    { 'noop-1': { dely: 1 } },
    'INVALID_OPTIONS',
    'options.noop-1',
  ],
  [
    'an option of the wrong type',
    'Graph.noop-example',
    { 'noop-1': { delay: 'x' } },
    'INVALID_OPTIONS',
    'options.noop-1',
  ],
] as const;

for (const [what, name, options, code, says] of rejected) {
  test(`a start with ${what} is rejected, and nothing is started`, async (t) => {
    const { it } = t.context;
    const node = await it.node();
    const error = await t.throwsAsync(() => it.launch(name, options, node.id));
    t.is((error as { code?: string } | undefined)?.code, code);
    const text = JSON.stringify([error?.message, (error as { violations?: unknown } | undefined)?.violations]);
    t.true(text.includes(says), text);
    t.is(await it.engine.workflows.activeOn(node.id), undefined);
    const { total } = await it.engine.workflows.list({ skip: 0, limit: 1, filter: { node: node.id } });
    t.is(total, 0);
  });
}

test('a failed task fails the graph, unless a branch waits for the failure', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Fixture.Branches');
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  const expected = { break: 'failed', mend: 'succeeded', celebrate: 'skipped', dance: 'skipped', tidy: 'succeeded' };
  t.deepEqual(await it.states(id), expected);
  t.like(row.tasks[0]?.error, { code: 'X_FIXTURE_BROKE', message: 'as planned' });
  t.is(row.progress.percentage, '100%', 'all tasks of the graph are done');
});

test('the progress of a failed workflow is unchanged', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'half',
    injectableName: 'Graph.Half',
    tasks: [
      { label: 'first', taskName: 'Task.noop' },
      { label: 'second', taskName: 'Task.Fixture.Fail', waitOn: { first: 'succeeded' } },
    ],
  });
  const { id } = await it.launch('Graph.Half');
  const row = await it.finished(id);
  t.is(row.status, 'failed');
  t.like(row.progress, { value: 1, maximum: 2, percentage: '50%' });
  await it.until(() => it.of(id, 'finished').length === 1);
  t.like(it.of(id, 'finished')[0]?.data, { progress: { percentage: '50%' } });
});

test('a plain machine runs tasks by name, with a timer of the engine between', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Fixture.Plain');
  t.is((await it.finished(id)).status, 'succeeded');
  t.deepEqual(await it.states(id), { nap: 'succeeded', 'Task.noop': 'succeeded' });
});

test('each visit of a label is a separate task run', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Fixture.Rounds', { write: { ledger: it.path('rounds'), line: 'round' } });
  t.deepEqual((await it.finished(id)).output, { rounds: 3 });
  t.is((await it.lines('rounds')).length, 3);
});

test('a failed attempt is retried, after a wait, as often as its task permits', async (t) => {
  const { it } = t.context;
  const graph = one('Graph.Test.Flaky', 'Task.Fixture.Flaky');
  await it.engine.library.putGraph(graph);
  const good = await it.launch('Graph.Test.Flaky', { it: { ledger: it.path('good'), line: 'x', failures: 2 } });
  const row = await it.finished(good.id);
  t.is(row.status, 'succeeded');
  t.is(row.tasks[0]?.attempts, 3);
  const bad = await it.launch('Graph.Test.Flaky', { it: { ledger: it.path('bad'), line: 'x', failures: 9 } });
  t.is((await it.finished(bad.id)).status, 'failed');
  t.is((await it.lines('bad')).length, 3);
});

test('a task that exceeds its _taskTimeout ends as timeout, and its activity is aborted', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph(one('Graph.Test.Slow', 'Task.Fixture.Hang'));
  // Longer than a busy machine takes to begin an activity.
  const options = { it: { ledger: it.path('slow'), line: 'slow', _taskTimeout: 5_000 } };
  const { id } = await it.launch('Graph.Test.Slow', options);
  const row = await it.finished(id);
  t.is(row.status, 'failed');
  t.is(row.tasks[0]?.state, 'timeout');
  t.is(row.error?.code, 'TASK_TIMEOUT');
  t.deepEqual(await it.lines('slow'), ['slow begins', 'slow stops']);
});

test('a slow activity keeps its worker', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph(one('Graph.Test.Long', 'Task.noop'));
  // Longer than the worker's check interval, and than the age at which the sweep examines an unwritten row.
  const { id } = await it.launch('Graph.Test.Long', { it: { delay: 11_000 } });
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.is(row.tasks[0]?.attempts, 1);
});

test('leaving a state stops its activities, and the graph continues', async (t) => {
  const { it } = t.context;
  const ledger = it.path('retreat');
  const { id } = await it.launch('Graph.Fixture.Retreat', {
    hang: { ledger, line: 'hang' },
    write: { ledger, line: 'home' },
  });
  t.is((await it.finished(id)).status, 'succeeded');
  t.deepEqual(await it.states(id), { hang: 'cancelled', write: 'succeeded' });
  t.true((await it.lines('retreat')).includes('hang stops'));
});

test('values of earlier tasks reach later ones through templates, and a missing value fails with its name', async (t) => {
  const { it } = t.context;
  const ledger = it.path('templates');
  const task = (label: string, line: string, waitOn?: object) => ({
    label,
    taskName: 'Task.Fixture.Write',
    optionOverrides: { ledger, line },
    ...(waitOn === undefined ? {} : { waitOn }),
  });
  await it.engine.library.putGraph({
    friendlyName: 'Templates',
    injectableName: 'Graph.Test.Templates',
    tasks: [
      task('first', 'on {{ task.nodeId || "no node" }}'),
      task('second', 'after {{ context.first.line }}', { first: 'succeeded' }),
      task('third', '{{ context.first.nothing }}', { second: 'succeeded' }),
    ],
  });
  const { id } = await it.launch('Graph.Test.Templates');
  const row = await it.finished(id);
  t.deepEqual(await it.lines('templates'), ['on no node', 'after on no node']);
  t.is(row.status, 'failed');
  t.is(row.tasks[2]?.error?.code, 'TEMPLATE_VALUE_MISSING');
  t.true(row.tasks[2]?.error?.message.includes('context.first.nothing'));
});

test('a command on the allow-list runs without a shell, any other is rejected', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph(one('Graph.Test.Shell', 'Task.Shell.Command'));
  const good = await it.launch('Graph.Test.Shell', { it: { command: '/bin/echo', args: ['$HOME; date'] } });
  t.like((await it.finished(good.id)).tasks[0]?.output, { exitCode: 0, stdout: '$HOME; date\n' });
  const bad = await it.launch('Graph.Test.Shell', { it: { command: '/bin/false' } });
  t.is((await it.finished(bad.id)).tasks[0]?.error?.code, 'COMMAND_FAILED');
  const other = await it.launch('Graph.Test.Shell', { it: { command: '/bin/ls' } });
  t.is((await it.finished(other.id)).tasks[0]?.error?.code, 'COMMAND_NOT_ALLOWED');
});

test('a condition that is not met fails its task', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph(one('Graph.Test.Condition', 'Task.Evaluate.Condition'));
  const outcome = async (options: object) => {
    const { id } = await it.launch('Graph.Test.Condition', { it: options });
    return (await it.finished(id)).status;
  };
  t.is(await outcome({ when: 'true' }), 'succeeded');
  t.is(await outcome({ when: 'false' }), 'failed');
  t.is(await outcome({ when: 'ready', in: ['ready', 'done'] }), 'succeeded');
  t.is(await outcome({ when: '12', greaterThan: 12 }), 'failed');
});

/** A graph of one task with the label `it`. */
const one = (injectableName: string, taskName: string) => ({
  friendlyName: injectableName,
  injectableName,
  tasks: [{ label: 'it', taskName }],
});

test('workflows are found by each field that a list may be narrowed or sorted by', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.noop-example');
  const row = await it.finished(id);
  for (const field of ['name', 'domain', 'status', 'createdAt', 'startedAt', 'finishedAt', 'updatedAt'] as const) {
    const page = { skip: 0, limit: 10, sort: { [field]: 1 as const }, filter: { id, [field]: row[field] } };
    t.is((await it.engine.workflows.list(page)).total, 1, field);
  }
});
