/** Secrets of workflows, in the real engine: encrypted in storage, decrypted where they are used. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';
import { sharedEngine } from '../../../support/servers/shared-resources.ts';

const rest = (label: string, options: object, waitOn = {}) => ({
  label,
  taskName: 'Task.Run.Rest.Command',
  optionOverrides: options,
  waitOn,
});
const shell = (label: string, script: string, more: object = {}) => ({
  label,
  taskName: 'Task.Shell.Command',
  optionOverrides: { command: '/bin/sh', args: ['-c', script], ...more },
});
const wait = { label: 'wait', taskName: 'Task.Wait.Notification' };

const config = { shellCommands: ['/bin/sh'] };
const shared = sharedEngine(config);

/** The graph of the tests, which run one after the other, because each has its own version of it. */
async function withGraph(it: TestEngine, tasks: object[]): Promise<TestEngine> {
  await it.engine.library.putGraph({ friendlyName: 'Secret', injectableName: 'Graph.Secret', tasks });
  return it;
}

/** An engine of its own, for a test that closes it. */
async function opened(t: ExecutionContext, tasks: object[]): Promise<TestEngine> {
  const it = await openEngine(config);
  t.teardown(() => it.close());
  return withGraph(it, tasks);
}

const echo = [wait, { ...shell('run', 'echo "$USER_PWD"'), waitOn: { wait: 'succeeded' } }];
const password = { run: { env: { USER_PWD: 'calvin-17' } } };

async function waitingOn(it: TestEngine): Promise<{ id: string; node: string }> {
  const node = (await it.node()).id;
  const { id } = await it.launch('Graph.Secret', password, node);
  await it.reached(id, 'wait', 'waiting');
  return { id, node };
}

test.serial(
  "a secret is encrypted in the row, decrypted for the activity, and encrypted again in the activity's output",
  async (t) => {
    const it = await withGraph(await shared(), echo);
    const { id, node } = await waitingOn(it);
    await it.engine.notifications.notify({}, node);
    const row = await it.finished(id);
    t.is(row.status, 'succeeded');
    t.regex((row.tasks[1]?.output as { stdout: string } | undefined)?.stdout ?? '', /^nwsealed\.v1\.0\.[\w-]+~\n$/);
    t.is((row.options.run as { env: { USER_PWD: string } }).env.USER_PWD, 'REDACTED');
  },
);

test.serial('without the encryption key the task run fails with a code and a remedy', async (t) => {
  const it = await opened(t, echo);
  const { id, node } = await waitingOn(it);
  await it.engine.close();
  writeFileSync(join(it.dataDir, 'secrets', 'values'), 'x'.repeat(43));
  await it.open();
  await it.engine.notifications.notify({}, node);
  const row = await it.finished(id);
  t.is(row.tasks[1]?.error?.code, 'SECRET_UNREADABLE');
  t.regex(row.tasks[1]?.error?.message ?? '', /restore the secret "values"/);
});

test.serial(
  'a command is decrypted only for the agent that gets it: a poll of the agent that has it leaves it alone',
  async (t) => {
    const it = await opened(t, [{ label: 'run', taskName: 'Task.Linux.Commands' }]);
    const node = (await it.node()).id;
    const commands = 'curl https://admin:calvin-17@bmc.example/';
    const { id } = await it.launch('Graph.Secret', { run: { commands } }, node);
    const ask = (waitMs: number) =>
      it.engine.agents.next(node, { agent: 'a', waitMs, signal: new AbortController().signal });
    t.is((await ask(10_000))?.cmd, commands);
    await it.engine.close();
    writeFileSync(join(it.dataDir, 'secrets', 'values'), 'x'.repeat(43));
    await it.open();
    t.is(await ask(0), undefined);
    t.is((await it.get(id)).tasks[0]?.state, 'running');
  },
);

test.serial('a decrypted value that does not fit its option fails the task run before its activity', async (t) => {
  const said = shell('said', `echo '{"token":"no url"}'`);
  const it = await withGraph(await shared(), [
    said,
    rest('used', { url: '{{ context.said.stdout }}', timeoutMs: 1_000 }, { said: 'succeeded' }),
  ]);
  const { id } = await it.launch('Graph.Secret');
  const { tasks } = await it.finished(id);
  t.is(tasks[1]?.error?.code, 'INVALID_OPTIONS');
  t.regex(tasks[1]?.error?.message ?? '', /url/);
  t.false(tasks[1]?.error?.message.includes('no url'));
});

test.serial('an encrypted value from outside is rejected in every input', async (t) => {
  const it = await withGraph(await shared(), echo);
  const token = 'nwsealed.v1.0.abc~';
  const rejected = [
    () => it.launch('Graph.Secret', { run: { env: { A: `x ${token}` } } }),
    () => it.engine.library.putGraph({ friendlyName: 'x', injectableName: 'Graph.X', tasks: [shell('a', token)] }),
    () => it.engine.nodes.create({ type: 'compute', name: 'n', config: { a: token } }),
    () => it.engine.hooks.create({ url: `http://127.0.0.1/?a=${token}` }),
    () => it.engine.skus.create({ name: 's', rules: [{ path: 'a.b' }], discoveryGraphOptions: { a: { b: token } } }),
  ];
  for (const ask of rejected) {
    const error = (await t.throwsAsync(ask)) as NodewrightError;
    t.is(error.status, 400, error.message);
  }
});

test.serial('REDACTED instead of a secret is rejected, because it comes from an earlier response', async (t) => {
  const it = await withGraph(await shared(), echo);
  const { id } = await it.node();
  const rejected = [
    () => it.launch('Graph.Secret', { run: { env: { USER_PWD: 'REDACTED' } } }),
    () => it.engine.obms.put(id, { service: 'ipmi-obm-service', config: { host: '10.1.1.1', password: 'REDACTED' } }),
    () => it.engine.nodes.update(id, { config: { password: 'REDACTED' } }),
  ];
  for (const ask of rejected) {
    const error = (await t.throwsAsync(ask)) as NodewrightError;
    t.is(error.status, 400, error.message);
    t.regex(error.message, /REDACTED/);
  }
});

test.serial('a definition keeps its secrets encrypted and stays one version, however often it is put', async (t) => {
  const json = {
    friendlyName: 'Own',
    injectableName: 'Graph.Own',
    options: { run: { env: { API_TOKEN: 'calvin-17' } } },
    tasks: [shell('run', 'test "$API_TOKEN" = calvin-17')],
  };
  const it = await withGraph(await shared(), echo);
  const hashes = [];
  for (let n = 0; n < 2; n += 1) {
    await it.engine.library.putGraph(json);
    const { id } = await it.launch('Graph.Own');
    const row = await it.finished(id);
    t.is(row.status, 'succeeded');
    hashes.push(row.definitionHash);
  }
  t.is(hashes[0], hashes[1]);
  const shown = (await it.engine.library.graph('Graph.Own')) as unknown as typeof json;
  t.is(shown.options.run.env.API_TOKEN, 'REDACTED');
  await t.throwsAsync(it.engine.library.putGraph(shown), { message: /REDACTED instead of a secret/ });
});

test.serial('a rejection does not quote the rejected secrets', async (t) => {
  const it = await withGraph(await shared(), [rest('it', { url: 'http://127.0.0.1/' })]);
  const options = { it: { headers: { cookie: 'calvin-17' }, url: 'calvin-17', token: 'calvin-17' } };
  const error = (await t.throwsAsync(it.launch('Graph.Secret', options))) as NodewrightError;
  t.is(error.code, 'INVALID_OPTIONS');
  t.false(JSON.stringify([error.message, error.violations]).includes('calvin-17'));
});

test.serial('progress that a node reports does not quote the secrets of its workflow', async (t) => {
  const it = await withGraph(await shared(), echo);
  const { id } = await waitingOn(it);
  const taskId = (await it.get(id)).tasks[0]?.instanceId as string;
  await it.engine.notifications.progress(taskId, { value: 1, maximum: 2, description: 'logged in with calvin-17' });
  t.is((await it.get(id)).tasks[0]?.progress?.description, 'logged in with REDACTED');
  await it.engine.control.cancel(id);
});

test.serial('the key is generated once, and only its owner can read it', async (t) => {
  const it = await opened(t, echo);
  const key = () => readFileSync(join(it.dataDir, 'secrets', 'values'), 'utf8');
  const before = key();
  await it.engine.close();
  await it.open();
  t.is(key(), before);
});
