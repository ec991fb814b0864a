/** The protocol of node agents on the real engine: which agent gets a command, and which result is accepted. */
import anyTest, { type TestFn } from 'ava';
import type { AgentReport, AgentTask } from '../../../../engine/api-port/index.ts';
import type { ConfigFile } from '../../../../engine/platform/config/config.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

async function withGraphs(config: ConfigFile = {}): Promise<TestEngine> {
  const it = await openEngine(config);
  await it.engine.library.putGraph({
    friendlyName: 'Commands',
    injectableName: 'Graph.Test.Commands',
    tasks: [{ label: 'run', taskName: 'Task.Linux.Commands' }],
  });
  await it.engine.library.putGraph({
    friendlyName: 'Look',
    injectableName: 'Graph.Test.Look',
    tasks: [{ label: 'look', taskName: 'Task.Catalog.lsblk' }],
  });
  return it;
}

test.before(async (t) => {
  t.context.it = await withGraphs();
});
test.after.always((t) => t.context.it?.close());

const ask = (it: TestEngine, node: string, agent = 'a', waitMs = 0) =>
  it.engine.agents.next(node, { agent, waitMs, signal: new AbortController().signal });
const gave = ({ id }: AgentTask, more: Partial<AgentReport> = {}): AgentReport => ({
  id,
  exitCode: 0,
  stdout: '',
  stderr: '',
  ...more,
});

/** A workflow with these commands, on a separate node. */
async function commands(it: TestEngine, ...all: unknown[]): Promise<{ node: string; id: string }> {
  const { id: node } = await it.node();
  const { id } = await it.launch('Graph.Test.Commands', { run: { commands: all } }, node);
  return { node, id };
}

const got = async (it: TestEngine, node: string, agent = 'a'): Promise<AgentTask> => {
  const task = await ask(it, node, agent, 10_000);
  if (task === undefined) throw new Error('no command');
  return task;
};

test('commands come one at a time, and their results are the output of the task', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'echo 1', { command: 'echo 2', acceptedResponseCodes: [3], timeoutSec: 9 });
  const first = await got(it, node);
  t.like(first, { cmd: 'echo 1', timeout: 3_600 });
  t.is((await it.reached(id, 'run', 'running')).tasks[0]?.instanceId, first.taskId);
  t.is(await ask(it, node), undefined);
  t.deepEqual(await it.engine.agents.report(node, [gave(first, { stdout: 'one\n', stderr: 'e' })]), [true]);
  const second = await got(it, node);
  t.like(second, { cmd: 'echo 2', timeout: 9 });
  t.deepEqual(await it.engine.agents.report(node, [gave(second, { exitCode: 3 })]), [true]);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  const results = [
    { exitCode: 0, stdout: 'one\n', stderr: 'e' },
    { exitCode: 3, stdout: '', stderr: '' },
  ];
  t.deepEqual(row.tasks[0]?.output, { results });
  t.is(await ask(it, node), undefined);
});

test('a waiting command is a state of its row; the command runs once an agent has it', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'true');
  t.is((await it.reached(id, 'run', 'waiting')).tasks[0]?.waitingOn, 'command');
  await got(it, node);
  t.is((await it.reached(id, 'run', 'running')).tasks[0]?.waitingOn, null);
});

test('a poll before the command gets it when it comes, and an aborted poll leaves nothing behind', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const waiting = ask(it, node, 'a', 20_000);
  await it.launch('Graph.Test.Commands', { run: { commands: 'true' } }, node);
  t.is((await waiting)?.cmd, 'true');
  const gone = new AbortController();
  const { id: other } = await it.node();
  const left = it.engine.agents.next(other, { agent: 'a', waitMs: 60_000, signal: gone.signal });
  gone.abort();
  t.is(await left, undefined);
});

test('a command is not delivered to an agent that has hung up', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'echo');
  await it.reached(id, 'run', 'waiting');
  t.is(await it.engine.agents.next(node, { agent: 'gone', waitMs: 10_000, signal: AbortSignal.abort() }), undefined);
  t.is((await got(it, node, 'b')).cmd, 'echo');
});

test('a command of a once task is delivered once, however many agents ask', async (t) => {
  const { it } = t.context;
  const { node } = await commands(it, 'true');
  const all = await Promise.all(Array.from({ length: 10 }, () => ask(it, node, 'a')));
  t.is(all.filter((task) => task !== undefined).length, 1);
});

test('a once command that another agent had is interrupted, and a later result of that agent is not accepted', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'true', 'false');
  const task = await got(it, node, 'first');
  t.is(await ask(it, node, 'second'), undefined);
  const row = await it.finished(id);
  t.is(row.tasks[0]?.error?.code, 'TASK_INTERRUPTED');
  t.deepEqual(await it.engine.agents.report(node, [gave(task)]), [false]);
});

test('a command of an idempotent task is delivered to each agent that asks, and the first result is accepted', async (t) => {
  const { it } = t.context;
  const { id: node } = await it.node();
  const { id } = await it.launch('Graph.Test.Look', {}, node);
  const first = await got(it, node, 'first');
  t.deepEqual(first.catalog, { source: 'lsblk', format: 'json' });
  t.is((await got(it, node, 'first')).id, first.id);
  const again = await got(it, node, 'second');
  t.is(again.id, first.id);
  const found = (name: string) => gave(first, { stdout: JSON.stringify({ blockdevices: [{ name }] }) });
  t.deepEqual(await it.engine.agents.report(node, [found('sda'), found('sdb')]), [true, false]);
  t.is((await it.finished(id)).status, 'succeeded');
  const catalog = await it.engine.catalogs.latestOf(node, 'lsblk');
  t.deepEqual(catalog?.data, { blockdevices: [{ name: 'sda' }] });
});

test('results of a command that was not delivered, of another node or of an unknown command are not accepted', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'true');
  const row = await it.get(id);
  const [operation] = Object.keys(row.operations);
  const { id: other } = await it.node();
  const all = [`${id}.${operation}`, `${id}.w9`, 'x', '', `${id}.__proto__`].map((one) =>
    gave({ id: one } as AgentTask),
  );
  t.deepEqual(await it.engine.agents.report(node, all), [false, false, false, false, false]);
  const task = await got(it, node);
  t.deepEqual(await it.engine.agents.report(other, [gave(task)]), [false]);
  t.deepEqual(await it.engine.agents.report(node, [gave(task)]), [true]);
});

test('an unaccepted exit code and an invalid catalog fail the task with the reason', async (t) => {
  const { it } = t.context;
  const failing = await commands(it, 'false');
  await it.engine.agents.report(failing.node, [
    gave(await got(it, failing.node), { exitCode: 2, stderr: 'no such disk' }),
  ]);
  const failed = await it.finished(failing.id);
  t.like(failed.tasks[0]?.error, { code: 'COMMAND_FAILED', retry: false });
  t.regex(failed.tasks[0]?.error?.message ?? '', /ended with 2, expected 0: no such disk/);
  const odd = await commands(it, { command: 'x', catalog: { source: 's', format: 'json' } });
  await it.engine.agents.report(odd.node, [gave(await got(it, odd.node), { stdout: 'no json' })]);
  t.is((await it.finished(odd.id)).tasks[0]?.error?.code, 'CATALOG_REJECTED');
  t.is(await it.engine.catalogs.latestOf(odd.node, 's'), undefined);
});

test('long output is cut, with a mark that states how much is missing', async (t) => {
  const { it } = t.context;
  const { node, id } = await commands(it, 'yes');
  const stdout = 'y'.repeat(20_000);
  await it.engine.agents.report(node, [gave(await got(it, node), { stdout, stdoutBytes: 50_000, stderr: 'a\0b' })]);
  const output = (await it.finished(id)).tasks[0]?.output as { results: { stdout: string; stderr: string }[] };
  t.is(output.results[0]?.stdout, `${'y'.repeat(16_384)}\n[cut: 33616 bytes more]`);
  t.is(output.results[0]?.stderr, 'ab');
});

test('a cancel ends commands without an agent immediately, and waits for commands that an agent has', async (t) => {
  const { it } = t.context;
  const idle = await commands(it, 'true');
  await it.engine.control.cancel(idle.id);
  t.is((await it.finished(idle.id)).status, 'cancelled');
  t.is(await ask(it, idle.node), undefined);
  const busy = await commands(it, 'true');
  const task = await got(it, busy.node);
  await it.engine.control.cancel(busy.id);
  t.is((await it.get(busy.id)).status, 'running');
  t.deepEqual(await it.engine.agents.report(busy.node, [gave(task)]), [true]);
  t.is((await it.finished(busy.id)).status, 'cancelled');
});

test('a cancelled command of an earlier release whose jobs run when its time is over is delivered again', async (t) => {
  const { it } = t.context;
  for (const stdout of ['0.state running\n1.state ended\n', 'running yes\n']) {
    const { id: node } = await it.node();
    const { id } = await it.launch('Graph.Fixture.Listen', {}, node);
    const task = await got(it, node);
    await it.engine.control.cancel(id);
    t.deepEqual(await it.engine.agents.report(node, [gave(task, { stdout })]), [true]);
    t.like(await got(it, node), { id: task.id, cancelled: true });
    t.deepEqual(await it.engine.agents.report(node, [gave(task, { stdout: 'all stopped' })]), [true]);
    t.is((await it.finished(id)).tasks[0]?.error?.message, 'the task was cancelled; all stopped');
  }
});

test('a command of a workflow without a node fails immediately', async (t) => {
  const { it } = t.context;
  const { id } = await it.launch('Graph.Test.Commands', { run: { commands: 'true' } });
  t.regex((await it.finished(id)).tasks[0]?.error?.message ?? '', /no node/);
});

test('a command outlives the daemon, and so does its agent', async (t) => {
  const it = await withGraphs();
  t.teardown(() => it.close());
  const open = await commands(it, 'open');
  const begun = await commands(it, 'begun');
  const task = await got(it, begun.node);
  await it.engine.close();
  await it.open();
  t.is(await ask(it, begun.node), undefined);
  t.deepEqual(await it.engine.agents.report(begun.node, [gave(task)]), [true]);
  t.is((await got(it, open.node)).cmd, 'open');
});

test('a task that waits for a group ends when another task sends its finish, and reports the booted profile in the meantime', async (t) => {
  const { it } = t.context;
  await it.engine.library.putGraph({
    friendlyName: 'Boot',
    injectableName: 'Graph.Test.Boot',
    tasks: [
      { label: 'boot', taskName: 'Task.Linux.Bootstrap', optionOverrides: { kernelFile: 'k', triggerGroup: 'mine' } },
      { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: 'true' } },
      {
        label: 'finish',
        taskName: 'Task.Trigger.Send.Finish',
        optionOverrides: { triggerGroup: 'mine' },
        waitOn: { run: 'succeeded' },
      },
    ],
  });
  const { id: node } = await it.node();
  t.is(await it.engine.agents.boot(node), undefined);
  const { id } = await it.launch('Graph.Test.Boot', {}, node);
  const task = await got(it, node);
  t.is((await it.states(id)).boot, 'waiting');
  t.like(await it.engine.agents.boot(node), { kernel: 'k', initrd: 'common/initrd.img' });
  await it.engine.agents.report(node, [gave(task)]);
  const row = await it.finished(id);
  t.is(row.status, 'succeeded');
  t.deepEqual(row.tasks[2]?.output, { released: true });
  t.is(await it.engine.agents.boot(node), undefined);
});
