/** /tasks over real sockets, and the agent script of the daemon, as a process on this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { pino } from 'pino';
import { openEndpoint } from '../../api/endpoint/server.ts';
import { needing } from '../support/ava/needs.ts';
import type { Scope } from '../support/ava/scope.ts';
import { busyboxPath, pathWithout, startAgent } from '../support/bmcs/agent.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { type Api, serve, southbound } from '../support/servers/api.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;
const lacks = (name: string) =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0 ? undefined : `${name} is not installed`;

test.before(async (t) => {
  const it = await openEngine();
  t.context.it = it;
  await it.engine.library.putGraph({
    friendlyName: 'Commands',
    injectableName: 'Graph.Test.Commands',
    tasks: [{ label: 'run', taskName: 'Task.Linux.Commands' }],
  });
});
test.after.always((t) => t.context.it?.close());

const open = (t: ExecutionContext<{ it: TestEngine }>): Promise<Api<TestEngine['engine']>> =>
  serve(t, southbound, t.context.it.engine);

async function launched(it: TestEngine, commands: unknown): Promise<{ node: string; id: string }> {
  const { id: node } = await it.node();
  return { node, id: (await it.launch('Graph.Test.Commands', { run: { commands } }, node)).id };
}

interface Output {
  results: { exitCode: number; stdout: string; stderr: string; catalog?: string }[];
}

const outputOf = async (it: TestEngine, id: string): Promise<Output> =>
  (await it.finished(id)).tasks[0]?.output as Output;

test('a command is sent as JSON and its result is returned as text or base64', async (t) => {
  const { it } = t.context;
  const { send } = await open(t);
  const { node, id } = await launched(it, ['one', { command: 'two', catalog: { source: 's', format: 'raw' } }]);
  const path = `/api/current/tasks/${node}`;
  const first = await send('GET', path);
  t.is(first.status, 200);
  t.is(first.body.identifier, node);
  const [task] = first.body.tasks;
  t.like(task, { cmd: 'one', timeout: 3_600 });
  t.is((await send('GET', path)).status, 204);
  const result = { ...task, exitCode: 0, stdout: 'plain', stderr: '' };
  const posted = await send('POST', path, { body: { identifier: node, tasks: [result] } });
  t.is(posted.status, 201);
  t.deepEqual(posted.body, { identifier: node, tasks: [{ id: task.id, accepted: true }] });
  t.false((await send('POST', path, { body: { tasks: [result] } })).body.tasks[0].accepted);
  const second = (await send('GET', `${path}?wait=20`)).body.tasks[0];
  t.like(second, { cmd: 'two', source: 's', format: 'raw' });
  const encoded = { id: second.id, exitCode: 0, encoding: 'base64', stdout: Buffer.from('é').toString('base64') };
  await send('POST', path, { body: { tasks: [encoded] } });
  const { results } = await outputOf(it, id);
  t.is(results[0]?.stdout, 'plain');
  t.is(typeof results[1]?.catalog, 'string');
  t.deepEqual((await it.engine.catalogs.latestOf(node, 's'))?.data, { raw: 'é' });
});

test('results of an agent of RackHD have an error instead of an exit code', async (t) => {
  const { it } = t.context;
  const { send } = await open(t);
  const all = ['good', { command: 'accepted', acceptedResponseCodes: [3] }, 'nameless', 'bad'];
  const { node, id } = await launched(it, all);
  const path = `/api/current/tasks/${node}`;
  const given = async () => (await send('GET', `${path}?wait=20`)).body.tasks[0];
  const posted = async (task: object) =>
    (await send('POST', path, { body: { identifier: node, tasks: [task] } })).body.tasks[0].accepted;
  t.true(await posted({ ...(await given()), stdout: 'out', stderr: '', error: null }));
  // It sends no output of a command that failed.
  t.true(await posted({ ...(await given()), error: { killed: false, code: 3, signal: null, cmd: 'accepted' } }));
  const { cmd } = await given();
  t.true(await posted({ cmd, stdout: '', stderr: '', error: null }));
  t.false(await posted({ cmd, stdout: '', stderr: '', error: null }));
  t.true(await posted({ ...(await given()), error: 'Error: stdout maxBuffer exceeded' }));
  const { status, tasks } = await it.finished(id);
  t.is(status, 'failed');
  t.regex(tasks[0]?.error?.message ?? '', /ended with 1, expected 0: Error: stdout maxBuffer exceeded/);
});

test('invalid requests and results of an agent are rejected', async (t) => {
  const { it } = t.context;
  const { send } = await open(t);
  const { id } = await it.node();
  for (const query of ['wait=26', 'wait=x', 'agent=a%20b', 'format=xml']) {
    t.is((await send('GET', `/api/current/tasks/${id}?${query}`)).status, 400, query);
  }
  t.is((await send('GET', '/api/current/tasks/nobody')).status, 404);
  t.is((await send('GET', '/api/current/tasks/bootstrap.sh?nodeId=nobody')).status, 404);
  t.is((await send('GET', '/api/current/tasks/bootstrap.sh')).status, 400);
  for (const body of [{}, { tasks: [{}] }, { tasks: [{ id: 'x', exitCode: 'y' }] }, { tasks: [{ id: 'x' }] }]) {
    t.is((await send('POST', `/api/current/tasks/${id}`, { body })).status, 400);
  }
  const stdout = 'x'.repeat(9 * 1024 * 1024);
  const long = await send('POST', `/api/current/tasks/${id}`, { body: { tasks: [{ id: 'x', exitCode: 0, stdout }] } });
  t.is(long.status, 413);
});

test('agents that wait for commands keep no place of the requests that are handled at the same time', async (t) => {
  const { it } = t.context;
  const { send } = await open(t);
  const { id: idle } = await it.node();
  // More than the places: without this the request after them would get its answer when the first of them has ended.
  const waiting = Array.from({ length: 40 }, (_, n) =>
    send('GET', `/api/current/tasks/${idle}?agent=${n}&wait=25`).then(({ status }) => status),
  );
  const { node, id } = await launched(it, ['one']);
  const { body } = await send('GET', `/api/current/tasks/${node}?wait=20`);
  t.is(body.tasks[0].cmd, 'one');
  t.is(await Promise.race([...waiting, 'all wait']), 'all wait');
  await it.engine.control.cancel(id);
});

test('an endpoint that closes does not wait for long polls', async (t) => {
  const { it } = t.context;
  const { port } = await open(t);
  const listener = await openEndpoint(it.engine, southbound, pino({ level: 'silent' }));
  const { id } = await it.node();
  const asked = fetch(`http://127.0.0.1:${listener.port}/api/current/tasks/${id}?wait=25`, {
    headers: { connection: 'close' },
  });
  // Answered on the other endpoint of the same engine: the first is under way by then.
  await fetch(`http://127.0.0.1:${port}/api/current/tasks/${id}`, { headers: { connection: 'close' } });
  await new Promise((resolve) => setImmediate(resolve));
  const closed = listener.close(20_000);
  const status = await asked.then(
    (answer) => answer.status,
    () => 'rejected',
  );
  t.true(status === 204 || status === 'rejected');
  await closed;
});

needing(lacks('shellcheck')).serial('the agent is a POSIX script in which shellcheck finds nothing', async (t) => {
  const { it } = t.context as { it: TestEngine };
  const { send } = await serve(t, southbound, it.engine);
  const { id } = await it.node();
  const { status, body, headers } = await send('GET', `/api/current/tasks/bootstrap.sh?nodeId=${id}`);
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /shellscript/);
  t.true(body.startsWith('#!/bin/sh\n'));
  t.notThrows(() => execFileSync('shellcheck', ['-s', 'sh', '-'], { input: body }));
});

const ways = [
  { way: 'curl', fetch: 'curl', path: (t: Scope) => pathWithout(t, 'wget') },
  { way: 'wget', fetch: 'wget', path: (t: Scope) => pathWithout(t, 'curl') },
  { way: 'busybox', fetch: 'wget', path: busyboxPath },
] as const;

for (const { way, fetch, path } of ways) {
  needing(lacks(way)).serial(`the agent executes its commands with ${way} alone`, async (t) => {
    const { it } = t.context as { it: TestEngine };
    const { port } = await serve(t, southbound, it.engine);
    const { node, id } = await launched(it, [
      `printf 'a "quoted" \\\\ line\\n\\tand é'; echo "it's" >&2`,
      { command: 'exit 7', acceptedResponseCodes: [7] },
      { command: 'head -c 100000 /dev/zero | tr "\\\\0" x' },
      { command: 'sleep 60', timeoutSec: 1, acceptedResponseCodes: [124] },
      { command: 'cat', catalog: { source: 'void', format: 'raw' } },
    ]);
    const agent = startAgent(t, port, node, { fetch, env: { PATH: path(t) } });
    const { results } = await outputOf(it, id);
    t.deepEqual(agent.said, []);
    t.deepEqual(results[0], { exitCode: 0, stdout: 'a "quoted" \\ line\n\tand é', stderr: "it's\n" });
    t.is(results[1]?.exitCode, 7);
    t.true(results[2]?.stdout.endsWith('x\n[cut: 83616 bytes more]'));
    t.is(results[3]?.exitCode, 124);
    t.deepEqual((await it.engine.catalogs.latestOf(node, 'void'))?.data, { raw: '' });
  });
}

for (const fetch of ['curl', 'wget'] as const) {
  needing(lacks(fetch)).serial(
    `an agent with ${fetch} works over https: its script contains the authority to trust`,
    async (t) => {
      const { it } = t.context as { it: TestEngine };
      const secure = { ...southbound, httpsEnabled: true };
      const listener = await openEndpoint(it.engine, secure, pino({ level: 'silent' }));
      t.teardown(() => listener.close(0));
      const { node, id } = await launched(it, 'echo secret');
      const options = { fetch, env: { PATH: pathWithout(t, fetch === 'curl' ? 'wget' : 'curl') } };
      const agent = startAgent(t, listener.port, node, { ...options, ca: it.path('https-cert.pem') });
      t.is((await outputOf(it, id)).results[0]?.stdout, 'secret\n');
      t.deepEqual(agent.said, []);
    },
  );
}

needing(lacks('curl')).serial('a long command reports its progress', async (t) => {
  const { it } = t.context as { it: TestEngine };
  const { port } = await serve(t, southbound, it.engine);
  const done = it.path('go-on');
  const { node, id } = await launched(
    it,
    `echo '3 10 disk "sda"' >"$NODEWRIGHT_PROGRESS"; while [ ! -e '${done}' ]; do sleep 0.1; done`,
  );
  startAgent(t, port, node);
  await it.until(async () => (await it.get(id)).tasks[0]?.progress !== undefined);
  const progress = { value: 3, maximum: 10, percentage: '30%', description: 'disk sda' };
  t.deepEqual((await it.get(id)).tasks[0]?.progress, progress);
  execFileSync('touch', [done]);
  t.is((await it.finished(id)).status, 'succeeded');
});

needing(lacks('curl')).serial('an agent that died and comes back does not get a once command again', async (t) => {
  const { it } = t.context as { it: TestEngine };
  const { port } = await serve(t, southbound, it.engine);
  const ledger = it.path('agent-ledger');
  const { node, id } = await launched(it, `echo begun >>'${ledger}'; sleep 60`);
  const agent = startAgent(t, port, node);
  await it.until(async () => (await it.lines('agent-ledger')).length === 1);
  await agent.kill();
  startAgent(t, port, node);
  t.is((await it.finished(id)).tasks[0]?.error?.code, 'TASK_INTERRUPTED');
  t.deepEqual(await it.lines('agent-ledger'), ['begun']);
});

needing(lacks('curl')).serial(
  'a command that watches for a cancel is notified of it, and its output is kept',
  async (t) => {
    const { it } = t.context as { it: TestEngine };
    const { port } = await serve(t, southbound, it.engine);
    const { id: node } = await it.node();
    const { id } = await it.launch('Graph.Fixture.Listen', {}, node);
    startAgent(t, port, node);
    await it.reached(id, 'listen', 'running');
    await it.engine.control.cancel(id);
    const { status, tasks } = await it.finished(id);
    t.is(status, 'cancelled');
    t.like(tasks[0]?.error, { code: 'TASK_CANCELLED', message: 'the task was cancelled; one is left' });
  },
);

needing(lacks('curl')).serial(
  'a command that watches for a cancel is delivered even if it was cancelled before an agent had it',
  async (t) => {
    const { it } = t.context as { it: TestEngine };
    const { port } = await serve(t, southbound, it.engine);
    const { id: node } = await it.node();
    const { id } = await it.launch('Graph.Fixture.Listen', {}, node);
    await it.engine.control.cancel(id);
    startAgent(t, port, node);
    const [task] = (await it.finished(id)).tasks;
    t.is(task?.error?.message, 'the task was cancelled; one is left');
  },
);

test('an agent can ask whether a command is still wanted', async (t) => {
  const { it } = t.context;
  const { send } = await open(t);
  const { node, id } = await launched(it, 'one');
  const path = `/api/current/tasks/${node}`;
  const { id: command } = (await send('GET', path)).body.tasks[0];
  t.is((await send('GET', `${path}/${command}`)).status, 204);
  await send('POST', path, { body: { tasks: [{ id: command, exitCode: 0 }] } });
  await it.finished(id);
  t.is((await send('GET', `${path}/${command}`)).status, 410);
  t.is((await send('GET', `${path}/nobody`)).status, 410);
});
