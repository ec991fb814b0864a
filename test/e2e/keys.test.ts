/** The rotation of every key on real daemons, by the command: what the earlier keys made continues, and then ends. */
import { createHmac } from 'node:crypto';
import anyTest, { type ExecutionContext } from 'ava';
import { type KeyName, keyPurposes } from '../../engine/platform/secrets/key-ring.ts';
import { needing } from '../support/ava/needs.ts';
import { folders } from '../support/engine/definition-folders.ts';
import { ended } from '../support/faults/workload.ts';
import { type DaemonProcess, startDaemonProcess } from '../support/servers/daemon.ts';
import { noMongoDb, openMongoDb } from '../support/servers/mongodb.ts';
import { type Receiver, startReceiver } from '../support/servers/receiver.ts';
import { noRedis, startRedis } from '../support/servers/redis.ts';
import { runKeys } from '../support/servers/rotating.ts';
import { shared } from '../support/servers/shared-resources.ts';

const names = Object.keys(keyPurposes) as KeyName[];
const HOOK_SECRET = 'hook-secret-17';
const obm = { service: 'ipmi-obm-service', config: { host: '10.0.0.9', user: 'root', password: 'calvin-17' } };
const graph = {
  friendlyName: 'Waits, then uses a secret',
  injectableName: 'Graph.Keys.Use',
  tasks: [
    { label: 'wait', taskName: 'Task.Wait.Notification' },
    {
      label: 'use',
      taskName: 'Task.Shell.Command',
      optionOverrides: { command: '/bin/sh', args: ['-c', 'test "$USER_PWD" = calvin-17'] },
      waitOn: { wait: 'succeeded' },
    },
  ],
};

async function newNode(t: ExecutionContext, { api }: DaemonProcess): Promise<string> {
  const { status, body } = await api('POST', '/nodes', { type: 'compute', name: 'n' });
  t.is(status, 201, JSON.stringify(body));
  return body.id;
}

/** @returns the id of a workflow that will need the secret of its launch after a notification */
async function waiting(t: ExecutionContext, { api }: DaemonProcess, node: string): Promise<string> {
  const options = { use: { env: { USER_PWD: 'calvin-17' } } };
  const { status, body } = await api('POST', `/nodes/${node}/workflows?name=Graph.Keys.Use`, { options });
  t.is(status, 201, JSON.stringify(body));
  return body.id;
}

async function signed(t: ExecutionContext, { posted }: Receiver, send: () => Promise<unknown>): Promise<void> {
  const count = posted.all.length;
  await send();
  await posted.until(() => posted.all.length > count);
  const { headers, text } = posted.all[count] ?? t.fail('nothing was posted');
  const stamped = `${headers['x-nodewright-timestamp']}.${text}`;
  t.is(headers['x-nodewright-signature'], `sha256=${createHmac('sha256', HOOK_SECRET).update(stamped).digest('hex')}`);
}

/** Returns the keys in use, in the order of their names. */
const uses = (output: string): (string | undefined)[] => [...output.matchAll(/: uses (\w+)/g)].map(([, key]) => key);

/** A daemon for the tests of one. */
const single = shared((file) => startDaemonProcess(file, { config: { ...folders, shellCommands: ['/bin/sh'] } }));

anyTest.serial('the command lists the keys without disclosing them, and explains wrong arguments', async (t) => {
  const daemon = await single();
  await daemon.kill('SIGTERM');
  const env = { NODEWRIGHT_CONFIG: daemon.file };
  const listed = await runKeys(env, 'list');
  for (const name of names) t.regex(listed, new RegExp(`^${name}: uses [0-9a-f]{12} \\(`, 'm'));
  const failing = (...args: string[]) =>
    runKeys(env, ...args).then(
      () => t.fail(args.join(' ')),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  for (const args of [[], ['add'], ['add', 'values', 'nothing'], ['remove', 'values'], ['list', 'values']]) {
    const { code, stderr } = await failing(...args);
    t.is(code, 2);
    t.regex(stderr, /^(Usage: nw keys|error: |nw: found no key nothing; expected auth-token, values)/);
  }
  const { code, stderr } = await failing('use', 'values');
  t.is(code, 1);
  t.is(stderr.trim(), 'nw: CONFLICT: there is only the key in use; add a new one first');
});

anyTest.serial(
  'each key of one daemon is replaced; tokens, obms, hooks and workflows continue, until the key is dropped',
  async (t) => {
    const daemon = await single();
    await daemon.start();
    const { api } = daemon;
    const env = { NODEWRIGHT_CONFIG: daemon.file };
    const rotate = async (step: string) => uses(await runKeys(env, step, ...names));
    await t.throwsAsync(runKeys(env, 'add', 'values'), { message: /held by process/ }, 'while the daemon runs');
    const receiver = await startReceiver(t);
    t.is((await api('PUT', '/workflows/graphs', graph)).status, 201);
    const nodes = [await newNode(t, daemon), await newNode(t, daemon)] as const;
    t.is((await api('PUT', `/nodes/${nodes[0]}/obm`, obm)).status, 201);
    const filters = [{ type: 'node', action: 'added' }];
    t.is((await api('POST', '/hooks', { url: receiver.url, secret: HOOK_SECRET, filters })).status, 201);
    const [early, late] = [await waiting(t, daemon, nodes[0]), await waiting(t, daemon, nodes[1])];
    const keyBefore = (await api('GET', '/certificates/key')).body.kid;
    const stop = async () => t.is(await daemon.kill('SIGTERM'), 0);

    await stop();
    const first = await rotate('add');
    const second = await rotate('use');
    for (const [at, name] of names.entries()) t.not(first[at], second[at], name);
    await daemon.start();
    t.is((await api('GET', '/nodes')).status, 200, 'the token of before');
    t.like((await api('GET', `/nodes/${nodes[0]}`)).body, { obms: [{ service: 'ipmi-obm-service' }] });
    t.is((await api('GET', '/obms')).status, 200);
    await signed(t, receiver, () => newNode(t, daemon));
    await daemon.southbound('POST', `/notification?nodeId=${nodes[0]}`);
    t.is((await ended(daemon, early)).status, 'succeeded');
    const { keys } = (await api('GET', '/certificates/keys')).body as { keys: { kid: string }[] };
    const kids = keys.map(({ kid }) => kid);
    t.is(kids.length, 2);
    t.is(kids[1], keyBefore, 'earlier certificates are still verified');

    await stop();
    t.deepEqual(await rotate('drop'), second);
    await daemon.start();
    t.is((await api('GET', '/nodes')).status, 401, 'the token of before has ended');
    await daemon.logIn();
    t.is((await api('GET', '/obms')).status, 200, 'encrypted with the new key');
    await signed(t, receiver, () => newNode(t, daemon));
    await daemon.southbound('POST', `/notification?nodeId=${nodes[1]}`);
    const row = await ended(daemon, late);
    t.is(row.status, 'failed');
    t.regex(JSON.stringify(row.tasks), /SECRET_UNREADABLE/);
    t.is((await api('GET', '/certificates/keys')).body.keys.length, 1);
  },
);

needing(noRedis ?? noMongoDb).serial('each key of several daemons is replaced while the others serve', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const services = { REDIS_URL: redis.url, MONGODB_URL: mongodb.url };
  const one = await startDaemonProcess(t, { env: services, config: folders });
  const other = await startDaemonProcess(t, { env: services, config: folders });
  const env = { NODEWRIGHT_CONFIG: one.file, ...services };
  const node = await newNode(t, one);
  const serve = async (what: string) => {
    for (const [maker, reader] of [
      [one, other],
      [other, one],
    ] as const) {
      t.is((await maker.api('PUT', `/nodes/${node}/obm`, obm)).status, 201, what);
      t.is((await reader.api('GET', '/obms')).status, 200, what);
    }
  };
  for (const step of ['add', 'use', 'drop']) {
    await runKeys(env, step, 'obms', 'auth-token');
    await serve(`${step}, before the restarts`);
    for (const daemon of [one, other]) {
      await daemon.kill('SIGTERM');
      await daemon.start();
      if (step === 'drop') await daemon.logIn();
      await serve(`${step}, after a restart`);
    }
  }
});
