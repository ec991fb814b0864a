/** Keys that boots issue, on real sockets: what they open, which sender gets one, and where none may ever be shown. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { openEndpoint } from '../../api/endpoint/server.ts';
import { southboundRoutes } from '../../api/endpoint/southbound.ts';
import { pathsOf } from '../../api/http/route.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { logLines } from '../support/ava/log-lines.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import type { Scope } from '../support/ava/scope.ts';
import { busyboxPath, pathWithout, startAgent } from '../support/bmcs/agent.ts';
import { API_PATH } from '../support/data/api-paths.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, type Send, serve, southbound } from '../support/servers/api.ts';
import { keyIn, nodeIn, senderFrom } from '../support/servers/sender.ts';

interface Engines {
  accept: TestEngine;
  require: TestEngine;
}
type Mode = keyof Engines;
const test = anyTest as TestFn<Engines>;
type T = ExecutionContext<Engines>;

const [HOME, AWAY, ROGUE] = ['127.0.0.7', '127.0.0.8', '127.0.0.66'];
/** No machine boots from these addresses. */
const STRANGER = '127.0.0.77';

test.before(async (t) => {
  t.context.accept = await openEngine();
  t.context.require = await openEngine({ southboundKeys: 'require' });
  for (const it of [t.context.accept, t.context.require]) {
    for (const [name, taskName] of [
      ['Graph.Test.Commands', 'Task.Linux.Commands'],
      ['Graph.Test.Boot', 'Task.Linux.Bootstrap'],
    ] as const) {
      const tasks = [{ label: 'run', taskName }];
      await it.engine.library.putGraph({ friendlyName: name, injectableName: name, tasks });
    }
    const run = { label: 'run', taskName: 'Task.Linux.Commands', optionOverrides: { commands: 'true' } };
    const certify = { label: 'certify', taskName: 'Task.Fixture.Certify', waitOn: { run: 'succeeded' } };
    const name = 'Graph.Test.Certify';
    await it.engine.library.putGraph({ friendlyName: name, injectableName: name, tasks: [run, certify] });
  }
});
test.after.always(async (t) => {
  await t.context.accept?.close();
  await t.context.require?.close();
});

interface Scene {
  it: TestEngine;
  port: number;
  from(address: string): Send;
  /** Requests a profile. */
  boot(address: string, mac: string): ReturnType<Send>;
}

async function scene(t: T, mode: Mode): Promise<Scene> {
  const it = t.context[mode];
  const { port } = await serve(t, southbound, it.engine);
  const from = (address: string) => senderFrom(t, port, address);
  return { it, port, from, boot: (address, mac) => from(address)('GET', `${API_PATH}/profiles?macs=${mac}`) };
}

const keyed = (key: string | undefined) => ({ headers: { 'x-nodewright-key': key ?? '' } });

/** The node is free when this resolves. */
async function cancelled(it: TestEngine, node: string): Promise<void> {
  await it.engine.control.cancelOn(node);
  await it.until(async () => (await it.engine.workflows.activeOn(node)) === undefined);
}

const open = ['/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/notification/alerts'];
const keyless = [
  '/profiles',
  '/profiles/switch/:vendor',
  '/notification/callback',
  '/files/:name',
  '/files/:name/md5',
  '/files/:name/sha256',
  '/boot-images/:token/microkernel.iso',
];
const routes = southboundRoutes(new RequestMetrics()).filter(({ path }) => !open.some((each) => path.startsWith(each)));

test('where keys are required no route works without one but those that a boot needs first', async (t) => {
  const { from } = await scene(t, 'require');
  t.true(routes.length > 12);
  for (const { path, method, ...route } of routes) {
    const [whole = ''] = pathsOf({ path, ...route });
    const { status, body } = await from(ROGUE)(method, whole.replace(/:\w+/g, 'x'));
    if (keyless.includes(path)) t.not(status, 403, path);
    else {
      t.is(status, 403, `${method} ${path}`);
      t.like(body, { message: 'Forbidden', code: 'FORBIDDEN' });
      t.regex(body.errors[0].message, /^is missing: keys are required here/);
    }
  }
  t.is((await from(ROGUE)('GET', '/no/such/file')).status, 404, 'files at the root need none');
});

for (const mode of ['accept', 'require'] as const) {
  test(`a wrong key is 403 on every route, in the mode ${mode}`, async (t) => {
    const { it, from, boot } = await scene(t, mode);
    const { body } = await boot(HOME, `02:c0:00:00:00:0${mode.length}`);
    const [node, key = ''] = [nodeIn(body), keyIn(body)];
    const turned = `${key.slice(0, -2)}${key.endsWith('AA') ? 'BB' : 'AA'}`;
    const wrong = ['x', `${node}.`, turned, `${(await it.node()).id}.${key.split('.')[1]}`, 'y'.repeat(5_000)];
    for (const one of wrong) {
      for (const { path, method, ...route } of routes) {
        const [whole = ''] = pathsOf({ path, ...route });
        const filled = whole.replace(/:\w+/g, node);
        const inHeader = await from(HOME)(method, filled, keyed(one));
        const inQuery = await from(HOME)(method, `${filled}?key=${one}`);
        t.deepEqual([inHeader.status, inQuery.status], [403, 403], `${method} ${path}`);
        t.false(
          JSON.stringify([inHeader.body, inQuery.body]).includes(one.slice(-30)) && one.length > 30,
          'the sent key is not shown',
        );
      }
      t.is((await from(HOME)('GET', '/any', keyed(one))).status, 403);
    }
    t.not((await from(HOME)('GET', `${API_PATH}/tasks/${node}`, keyed(key))).status, 403);
  });
}

test('a key opens its node, by header and by query, and no other', async (t) => {
  const { it, from, boot } = await scene(t, 'require');
  const { body } = await boot(HOME, '02:c0:00:00:01:01');
  const { body: others } = await boot(AWAY, '02:c0:00:00:01:02');
  const [node, key] = [nodeIn(body), keyIn(body)];
  const catalog = { body: { source: 's', data: { a: 1 } } };
  for (const [method, path, request] of [
    ['GET', `/tasks/${node}`],
    ['GET', `/tasks/bootstrap.sh?nodeId=${node}`],
    ['POST', `/nodes/${node}/catalogs`, catalog],
    ['POST', `/notification?nodeId=${node}&a=b`],
    ['GET', `/profiles/local.ipxe?nodeId=${node}`],
  ] as const) {
    const ask = (one: string | undefined) => from(HOME)(method, API_PATH + path, { ...request, ...keyed(one) });
    t.true([200, 201, 204].includes((await ask(key)).status), path);
    t.is((await ask(keyIn(others))).status, 403, path);
    const query = `${API_PATH}${path}${path.includes('?') ? '&' : '?'}key=${key}`;
    t.true([200, 201, 204].includes((await from(HOME)(method, query, request)).status), query);
  }
  const broadcast = await from(HOME)('POST', `${API_PATH}/notification`, keyed(key));
  t.is(broadcast.status, 403, 'a broadcast is for users');
  t.regex(broadcast.body.errors[0].message, /only users broadcast, northbound/);
  const row = (await it.engine.workflows.activeOn(node)) as { tasks: { instanceId: string }[] };
  const progress = `${API_PATH}/notification/progress?taskId=${row.tasks[0]?.instanceId}&maximum=2&value=1`;
  t.is((await from(HOME)('GET', progress, keyed(key))).status, 200);
  t.is((await from(AWAY)('GET', progress, keyed(keyIn(others)))).status, 403);
});

test('where keys are required a user broadcasts northbound, and a wait that takes no broadcasts continues to wait', async (t) => {
  const it = t.context.require;
  const north = await serve(t, northbound, it.engine);
  const launch = (options: object) => it.launch('Graph.Demo.InstallOs', { defaults: options });
  const [one, other] = [await launch({ broadcast: true }), await launch({})];
  for (const { id } of [one, other]) await it.reached(id, 'wait-os-installed', 'waiting');
  const broadcast = (token?: string, body: object = { all: 'go' }) =>
    north.send('POST', `${API_PATH}/notification`, { body, ...(token && { token }) });
  t.is((await broadcast()).status, 401);
  t.is((await broadcast(await north.as('ReadOnly'))).status, 403);
  const token = await north.as('Operator');
  t.is((await broadcast(token, { nodeId: 'n' })).status, 400);
  t.like(await broadcast(token), { status: 201, body: { all: 'go' } });
  await it.reached(one.id, 'wait-os-booted', 'waiting');
  t.is((await it.states(other.id))['wait-os-installed'], 'waiting');
});

test('a key is issued to the first address that boots the node; another address is rejected, and an event reports it', async (t) => {
  const { it, boot } = await scene(t, 'require');
  const mac = '02:c0:00:00:02:01';
  const { body } = await boot(HOME, mac);
  const node = nodeIn(body);
  t.is(keyIn((await boot(HOME, mac)).body), keyIn(body), 'as often as it asks');
  for (let n = 0; n < 3; n += 1) {
    const rejected = await boot(ROGUE, mac);
    t.is(rejected.status, 403);
    t.regex(rejected.body.errors[0].message, /another address received the key of this node before/);
  }
  await it.until(() => it.of(node, 'southbound.rejected').length > 0);
  t.is(it.of(node, 'southbound.rejected').length, 1, 'once per interval, however often it is tried');
  t.like(it.of(node, 'southbound.rejected')[0], { severity: 'warning', data: { address: ROGUE, nodeId: node } });
  const { items } = await it.engine.lookups.list({ skip: 0, limit: 1, filter: { macAddress: mac } });
  await it.engine.lookups.update(items[0]?.id as string, { ipAddress: AWAY });
  t.is(keyIn((await boot(AWAY, mac)).body), keyIn(body), 'unless a user confirms that it has moved');
  t.is((await boot(HOME, mac)).status, 403);
});

test('where keys are accepted another address boots without one', async (t) => {
  const { boot } = await scene(t, 'accept');
  const mac = '02:c0:00:00:02:02';
  t.is(typeof keyIn((await boot(HOME, mac)).body), 'string');
  const other = await boot(ROGUE, mac);
  t.is(other.status, 200);
  t.is(keyIn(other.body), undefined);
  t.regex(other.body, /nodewright\.node=/);
});

test('a key is valid until its node has booted twice more, whatever workflows ended in the meantime', async (t) => {
  const { it, from, boot } = await scene(t, 'require');
  const mac = '02:c0:00:00:03:01';
  const node = nodeIn((await boot(HOME, mac)).body);
  const keys = [keyIn((await boot(HOME, mac)).body)];
  const status = async (key: string | undefined) =>
    (await from(HOME)('GET', `${API_PATH}/tasks/${node}`, keyed(key))).status;
  for (const expected of [[200], [204, 204], [403, 204, 204]]) {
    t.deepEqual(await Promise.all(keys.map(status)), expected);
    await cancelled(it, node);
    t.false((await Promise.all(keys.slice(-2).map(status))).includes(403), 'even after the workflow has ended');
    const { id } = await it.launch('Graph.Test.Boot', {}, node);
    await it.reached(id, 'run', 'waiting');
    keys.push(keyIn((await boot(HOME, mac)).body));
  }
  t.is(new Set(keys).size, keys.length);
  await cancelled(it, node);
});

test('a script contains the key that it was fetched with, and none for a sender without one', async (t) => {
  const { from, boot } = await scene(t, 'accept');
  const { body } = await boot(HOME, '02:c0:00:00:04:01');
  const script = (key?: string) =>
    from(HOME)('GET', `${API_PATH}/tasks/bootstrap.sh?nodeId=${nodeIn(body)}`, key === undefined ? {} : keyed(key));
  t.true((await script(keyIn(body))).body.includes(`NODEWRIGHT_KEY='${keyIn(body)}'\n`));
  t.true((await script()).body.includes("NODEWRIGHT_KEY=''\n"));
});

const ways = [
  { way: 'curl', fetch: 'curl', path: (t: Scope) => pathWithout(t, 'wget') },
  { way: 'wget', fetch: 'wget', path: (t: Scope) => pathWithout(t, 'curl') },
  { way: 'busybox', fetch: 'wget', path: busyboxPath },
] as const;

for (const [n, { way, fetch, path }] of ways.entries()) {
  const missing = onPath(way) === undefined ? `${way} is not installed` : undefined;
  needing(missing).serial(`where keys are required the agent works with ${way} and the key of its boot`, async (t) => {
    const { it, port, from, boot } = await scene(t as T, 'require');
    const { body } = await boot('127.0.0.1', `02:c0:00:00:05:0${n}`);
    const [node, key] = [nodeIn(body), keyIn(body)];
    await cancelled(it, node);
    const { id } = await it.launch('Graph.Test.Commands', { run: { commands: 'echo done' } }, node);
    t.is((await from(ROGUE)('GET', `${API_PATH}/tasks/${node}`)).status, 403, 'no other sender reads the command');
    startAgent(t, port, node, { fetch, env: { PATH: path(t) }, ...(key !== undefined && { key }) });
    const { status, agentKnownBy, tasks } = await it.finished(id);
    t.is(status, 'succeeded');
    t.is(agentKnownBy, 'key');
    t.like(tasks[0]?.output, { results: [{ stdout: 'done\n' }] });
  });
}

test('a workflow whose agent had no key states so in its certificate', async (t) => {
  const { it, from, boot } = await scene(t, 'accept');
  const { body } = await boot(HOME, '02:c0:00:00:06:01');
  const node = nodeIn(body);
  await cancelled(it, node);
  /** One sender fetches the command, another posts its result. */
  const certified = async (asks: [address: string, key?: object], says = asks) => {
    const { id } = await it.launch('Graph.Test.Certify', {}, node);
    const path = `${API_PATH}/tasks/${node}`;
    const [task] = (await from(asks[0])('GET', `${path}?wait=20`, asks[1])).body.tasks;
    await from(says[0])('POST', path, { body: { tasks: [{ id: task.id, exitCode: 0 }] }, ...says[1] });
    t.is((await it.finished(id)).status, 'succeeded');
    return (await it.engine.certificates.of(id))?.certificate.agent;
  };
  const key = keyed(keyIn(body));
  t.deepEqual(await certified([AWAY, key]), { knownBy: 'key' });
  t.deepEqual(await certified([HOME]), { knownBy: 'address' }, 'the address that received the key');
  t.deepEqual(await certified([STRANGER], [HOME, key]), { knownBy: 'nothing' }, 'the least authenticated of them');
  t.deepEqual(await certified([HOME, key], [STRANGER]), { knownBy: 'nothing' });
  await it.engine.lookups.create({ macAddress: '02:c0:00:00:06:02', ipAddress: AWAY, node });
  t.deepEqual(await certified([AWAY]), { knownBy: 'address' }, 'one that a user entered');
});

test('no key is in a log, an event, a record or an answer, even if agents print it', async (t) => {
  const it = t.context.accept;
  const { log, lines } = logLines();
  const listener = await openEndpoint(it.engine, southbound, log);
  t.teardown(() => listener.close(0));
  const send = senderFrom(t, listener.port, HOME);
  const { body } = await send('GET', `${API_PATH}/profiles?macs=02:c0:00:00:07:01`);
  const [node, key = ''] = [nodeIn(body), keyIn(body)];
  await cancelled(it, node);
  const { id } = await it.launch('Graph.Test.Commands', { run: { commands: 'cat /proc/cmdline' } }, node);
  const [task] = (await send('GET', `${API_PATH}/tasks/${node}?wait=20&key=${key}`)).body.tasks;
  const cmdline = `quiet nodewright.key=${key} ${key}`;
  const result = { id: task.id, exitCode: 0, encoding: 'base64', stdout: Buffer.from(cmdline).toString('base64') };
  await send('POST', `${API_PATH}/tasks/${node}`, {
    body: { tasks: [{ ...result, stderr: result.stdout }] },
    ...keyed(key),
  });
  const said = await send('POST', `${API_PATH}/notification?nodeId=${node}&key=${key}`, {
    body: { cmdline, deep: [{ key }] },
  });
  t.deepEqual(said.body, {
    nodeId: node,
    cmdline: 'quiet nodewright.key=REDACTED REDACTED',
    deep: [{ key: 'REDACTED' }],
  });
  const unkeyed = { source: 'boot', data: { cmdline: `nodewright.key=${key}` } };
  const catalog = { source: 'ohai', data: { kernel: { cmdline, [key]: key } } };
  for (const one of [{ body: unkeyed }, { body: catalog, ...keyed(key) }]) {
    t.is((await send('POST', `${API_PATH}/nodes/${node}/catalogs`, one)).status, 201);
  }
  const row = await it.finished(id);
  t.is(
    (row.tasks[0]?.output as { results?: { stdout: string }[] } | undefined)?.results?.[0]?.stdout,
    'quiet nodewright.key=REDACTED REDACTED',
  );
  const { items } = await it.engine.catalogs.latestOfSources({ skip: 0, limit: 9, filter: { node } });
  for (const [what, all] of Object.entries({ lines, events: it.events, row, items })) {
    t.false(JSON.stringify(all).includes(key.split('.')[1] as string), what);
  }
  t.true(lines.length > 4);
});
