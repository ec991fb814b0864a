/** Graphs in the shape of RackHD on the real engine: branches, children on other nodes, jobs that are missing, boots. */
import anyTest, { type TestFn } from 'ava';
import type { AgentReport } from '../../engine/api-port/index.ts';
import type { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

let graphs = 0;

async function put(it: TestEngine, tasks: object[], options: object = {}): Promise<string> {
  graphs += 1;
  const name = `Graph.Test.Shape${graphs}`;
  await it.engine.library.putGraph({ friendlyName: name, injectableName: name, options, tasks });
  return name;
}

const own = (label: string, implementsTask: string, options: object, more: object = {}) => ({
  label,
  taskDefinition: {
    friendlyName: label,
    injectableName: `Task.Mine.${label}`,
    implementsTask,
    options,
    properties: {},
  },
  ...more,
});
const lacks = (label: string, more: object = {}) => own(label, 'Task.Base.Snmp', {}, more);
const noop = (label: string, waitOn: object) => ({ label, taskName: 'Task.noop', waitOn });

const asking = (waitMs = 20_000) => ({ agent: 'one', waitMs, signal: new AbortController().signal });

/** The agent runs its next command. */
async function runs(it: TestEngine, node: string, more: Partial<AgentReport> = {}): Promise<string> {
  const given = await it.engine.agents.next(node, asking());
  if (given === undefined) throw new Error('no command');
  await it.engine.agents.report(node, [{ id: given.id, exitCode: 0, stdout: '', stderr: '', ...more }]);
  return given.cmd;
}

test('a condition is its value, whatever further options are there for its template', async (t) => {
  const { it } = t.context;
  for (const [value, states] of [
    ['true', { when: 'succeeded', yes: 'succeeded', no: 'skipped' }],
    ['false', { when: 'failed', yes: 'skipped', no: 'succeeded' }],
  ] as const) {
    const name = await put(
      it,
      [
        { label: 'when', taskName: 'Task.Evaluate.Condition', ignoreFailure: true },
        noop('yes', { when: 'succeeded' }),
        noop('no', { when: 'failed' }),
      ],
      { when: { refresh: value, when: '{{options.refresh}}' } },
    );
    const { id } = await it.launch(name);
    await it.finished(id);
    t.deepEqual(await it.states(id), states);
  }
});

test('target among the options of a child graph is the node of the child', async (t) => {
  const { it } = t.context;
  const [mine, other] = [(await it.node()).id, (await it.node()).id];
  const child = await put(it, [{ label: 'one', taskName: 'Task.noop' }]);
  const options = { graphName: child, graphOptions: { target: null, one: { delay: 1 } } };
  const parent = await put(it, [own('run', 'Task.Base.Graph.Run', options)]);
  for (const [target, node] of [
    [other, other],
    [mine, mine],
    [null, mine],
  ]) {
    const { id } = await it.launch(parent, { run: { graphOptions: { target, one: { delay: 2 } } } }, mine);
    const { status, tasks } = await it.finished(id);
    t.is(status, 'succeeded', JSON.stringify(tasks[0]?.error));
    const row = await it.get((tasks[0]?.output as { workflowId: string } | undefined)?.workflowId ?? '');
    t.deepEqual([row.node, row.options], [node, { one: { delay: 2 } }]);
  }
});

test('a graph that begins a label without a job is not launched, even if a task waits for any end of it', async (t) => {
  const { it } = t.context;
  for (const tasks of [
    [lacks('a', { ignoreFailure: true })],
    [lacks('a'), noop('b', { a: 'finished' })],
    [noop('b', {}), lacks('a', { waitOn: { b: 'succeeded' } }), noop('c', { a: ['failed', 'succeeded'] })],
  ]) {
    const name = await put(it, tasks);
    const rejection = await t.throwsAsync<NodewrightError>(it.launch(name));
    t.is(rejection?.code, 'JOB_MISSING');
    t.is(rejection?.violations?.[0]?.path, 'tasks.a');
  }
  const { id: node } = await it.node();
  const parent = await put(it, [
    own('run', 'Task.Base.Graph.Run', { graphName: await put(it, [lacks('a')]), graphOptions: {} }),
    noop('next', { run: 'finished' }),
  ]);
  const ofParent = await t.throwsAsync<NodewrightError>(it.launch(parent, {}, node));
  t.is(ofParent?.code, 'JOB_MISSING');
  t.is(ofParent?.violations?.[0]?.path, 'tasks.run.tasks.a');
});

test('a machine with a label without a job is not launched', async (t) => {
  const { it } = t.context;
  await it.engine.library.putTask(own('Snmp', 'Task.Base.Snmp', {}).taskDefinition);
  await it.engine.library.putGraph({
    friendlyName: 'Machine',
    injectableName: 'Graph.Test.MissingMachine',
    machine: {
      id: 'Graph.Test.MissingMachine',
      initial: 'a',
      states: { a: { invoke: { src: 'walk', onDone: 'b', onError: 'b' } }, b: { type: 'final' } },
    },
    tasks: { walk: 'Task.Mine.Snmp' },
  });
  await t.throwsAsync(it.launch('Graph.Test.MissingMachine'), { code: 'JOB_MISSING' });
});

test('a label without a job fails its workflow when it is reached, and harms none that does not reach it', async (t) => {
  const { it } = t.context;
  const name = await put(it, [
    { label: 'when', taskName: 'Task.Evaluate.Condition', ignoreFailure: true },
    lacks('a', { waitOn: { when: 'succeeded' }, ignoreFailure: true }),
    noop('b', { a: 'finished' }),
    noop('c', { when: 'failed' }),
  ]);
  const { status, error } = await it.finished((await it.launch(name, { when: { when: true } })).id);
  t.deepEqual([status, error?.code], ['failed', 'JOB_MISSING']);
  t.regex(error?.message ?? '', /found Task\.Base\.\S+: it /);
  t.is((await it.finished((await it.launch(name, { when: { when: false } })).id)).status, 'succeeded');
});

test('pollers of kinds that there are not are rejected, unless one is known, and tags are given without a job', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const pollers = [{ type: 'redfish', pollInterval: 10_000, config: { command: 'fabricservice' } }];
  const create = await put(it, [own('create', 'Task.Base.Pollers.CreateDefault', { nodeId: null, pollers })]);
  const rejection = await t.throwsAsync<NodewrightError>(it.launch(create, {}, node));
  t.is(rejection?.code, 'JOB_MISSING');
  t.regex(rejection?.message ?? '', /redfish fabricservice: there are no such pollers here/);
  const known = { create: { pollers: [...pollers, { type: 'ipmi', config: { command: 'sdr' } }] } };
  t.is((await it.finished((await it.launch(create, known, node)).id)).status, 'succeeded');
  const tags = await put(it, [own('tags', 'Task.Base.Catalog.GenerateTag', {})]);
  t.is((await it.finished((await it.launch(tags, {}, node)).id)).status, 'succeeded');
});

const boot = (more: object = {}) => ({ label: 'boot', taskName: 'Task.Linux.Bootstrap.Rancher', ...more });
const commands = (label: string, after: string) => ({
  label,
  taskName: 'Task.Linux.Commands',
  optionOverrides: { commands: [label] },
  waitOn: { [after]: 'succeeded' },
});

test("a boot task without a trigger ends at the agent's first request; its image stays while the agent is needed", async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const name = await put(it, [
    boot({ optionOverrides: { kernelFile: 'mine', comport: 'ttyS1' } }),
    commands('one', 'boot'),
    commands('two', 'one'),
    { label: 'wait', taskName: 'Task.Wait.Notification', waitOn: { two: 'succeeded' } },
  ]);
  const { id } = await it.launch(name, {}, node);
  await it.reached(id, 'boot', 'waiting');
  const image = { kernel: 'mine', workflow: id };
  t.like(await it.engine.agents.boot(node), image);
  for (const expected of ['one', 'two']) {
    const given = await it.engine.agents.next(node, asking());
    t.is(given?.cmd, expected);
    t.like(await it.engine.agents.boot(node), { ...image, variables: { comport: 'ttyS1' } });
    await it.engine.agents.report(node, [{ id: given?.id ?? '', exitCode: 0, stdout: '', stderr: '' }]);
  }
  await it.reached(id, 'wait', 'waiting');
  t.is(await it.engine.agents.boot(node), null);
  await it.engine.control.cancel(id);
  await it.finished(id);
  t.is(await it.engine.agents.boot(node), undefined);
});

test('a request from before the boot task does not end it', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const aborted = new AbortController();
  const stale = it.engine.agents.next(node, { agent: 'old', waitMs: 60_000, signal: aborted.signal });
  const { id } = await it.launch(await put(it, [boot()]), {}, node);
  await it.reached(id, 'boot', 'waiting');
  aborted.abort();
  await stale;
  t.is((await it.states(id)).boot, 'waiting');
  await it.engine.agents.next(node, asking(0));
  t.is((await it.finished(id)).status, 'succeeded');
});

test('a trigger that can come only after the boot task does not hold it; one that may come first does', async (t) => {
  const { it } = t.context;
  const finish = (after: object, group?: string) => ({
    label: 'finish',
    taskName: 'Task.Trigger.Send.Finish',
    waitOn: after,
    ...(group !== undefined && { optionOverrides: { triggerGroup: group } }),
  });
  const later = await it.node();
  const behind = await put(it, [boot(), commands('run', 'boot'), finish({ run: 'finished' })]);
  const first = await it.launch(behind, {}, later.id);
  await it.reached(first.id, 'boot', 'waiting');
  t.is(await runs(it, later.id), 'run');
  t.is((await it.finished(first.id)).status, 'succeeded');
  const { id: node } = await it.node();
  const beside = await put(it, [
    boot(),
    { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: ['run'] } },
    finish({ run: 'finished' }),
  ]);
  const { id } = await it.launch(beside, {}, node);
  const given = await it.engine.agents.next(node, asking());
  t.is((await it.states(id)).boot, 'waiting');
  await it.engine.agents.report(node, [{ id: given?.id ?? '', exitCode: 0, stdout: '', stderr: '' }]);
  t.is((await it.finished(id)).status, 'succeeded');
});

test('a node whose child needs the agent boots the image of the parent again', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const child = await put(it, [
    { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: ['x'] } },
  ]);
  const name = await put(it, [
    boot(),
    own('child', 'Task.Base.Graph.Run', { graphName: child, graphOptions: {} }, { waitOn: { boot: 'succeeded' } }),
  ]);
  const { id } = await it.launch(name, {}, node);
  await it.reached(id, 'boot', 'waiting');
  const given = await it.engine.agents.next(node, asking());
  t.is(given?.cmd, 'x');
  t.like(await it.engine.agents.boot(node), { workflow: id });
  await it.engine.agents.report(node, [{ id: given?.id ?? '', exitCode: 0, stdout: '', stderr: '' }]);
  t.is((await it.finished(id)).status, 'succeeded');
});
