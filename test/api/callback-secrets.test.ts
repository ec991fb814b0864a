/** Users who may see callbacks, senders that may call them, and places that never show their nonces. */
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { openEndpoint } from '../../api/endpoint/server.ts';
import { logLines } from '../support/ava/log-lines.ts';
import { needing } from '../support/ava/needs.ts';
import { onPath } from '../support/ava/on-path.ts';
import { busyboxPath, startAgent } from '../support/bmcs/agent.ts';
import { API_PATH } from '../support/data/api-paths.ts';
import { inParts } from '../support/data/archive.ts';
import type { TestEngine } from '../support/engine/engine.ts';
import { openNotified, scene } from '../support/engine/notifying.ts';
import { northbound, serve, southbound } from '../support/servers/api.ts';
import { startReceiver } from '../support/servers/receiver.ts';
import { keyIn, nodeIn, senderFrom } from '../support/servers/sender.ts';

interface Engines {
  accept: TestEngine;
  require: TestEngine;
}
const test = anyTest as TestFn<Engines>;
type T = ExecutionContext<Engines>;

const [HOME, ROGUE] = ['127.0.0.7', '127.0.0.66'];
/** No machine boots from these addresses. */
const STRANGER = '127.0.0.77';
const INSTALLED = 'wait-os-installed';

test.before(async (t) => {
  t.context.accept = await openNotified();
  t.context.require = await openNotified({ southboundKeys: 'require' });
  for (const it of [t.context.accept, t.context.require]) {
    const put = (kind: 'template' | 'profile', name: string, text: string) =>
      it.engine.files.put({ kind, name, scope: null }, inParts(Buffer.from(text)));
    await put('template', 'ejs', '<%- task.callback %>|<%- task.callbacks["wait-os-booted"] %>');
    await put('template', 'braces', '{{ task.callback }}|{{task.callbacks.wait-os-booted}}');
    await put('profile', 'ejs', '#!ipxe\nimgfetch <%- task.callback %>\n');
  }
});
test.after.always(async (t) => {
  await t.context.accept?.close();
  await t.context.require?.close();
});

const pathOf = (url: string) => url.replace(/^http:\/\/[^/]+/, '');
const keyed = (key: string | undefined) => ({ headers: { 'x-nodewright-key': key ?? '' } });
const inKernel = (script: string) => /nodewright\.callback=(\S+)/.exec(script)?.[1];

test('users who may launch see the callback of each task that takes notifications; for others it is REDACTED', async (t) => {
  const { it, id, node, north, as, callback } = await scene(t, t.context.accept, 'Graph.Test.Agent', {
    run: { commands: 'true' },
  });
  const paths = [
    `/workflows/${id}`,
    `/workflows?id=${id}`,
    `/nodes/${node}/workflows`,
    `/nodes/${node}/workflows?active=true`,
  ];
  const seen = async (role: string) => {
    const token = await as(role);
    const answers = await Promise.all([
      ...paths.map((path) => north('GET', API_PATH + path, { token })),
      north('GET', `/api/1.1/nodes/${node}/workflows/active`, { token }),
    ]);
    const rows = answers.flatMap(({ body }) => body as { tasks: { label: string; callback: string | null }[] }[]);
    return [...new Set(rows.flatMap(({ tasks }) => tasks.map((task) => task.callback)))];
  };
  const url = `http://127.0.0.1:9080${await callback('wait')}`;
  for (const role of ['Administrator', 'Operator']) t.deepEqual(await seen(role), [url, null], role);
  t.deepEqual(await seen('ReadOnly'), ['REDACTED', null]);
  await it.engine.roles.create({ role: 'Watcher', privileges: ['Read'] });
  t.deepEqual(await seen('Watcher'), ['REDACTED', null]);
  await it.engine.control.cancel(id);
  await it.finished(id);
  const { body } = await north('GET', `${API_PATH}/workflows/${id}`, { token: await as('Administrator') });
  t.deepEqual(
    body.tasks.map((task: { callback: unknown }) => task.callback),
    [null, null],
    'when it has ended',
  );
});

test('an endpoint without tokens, where every client may launch, shows callbacks', async (t) => {
  const { id } = await scene(t, t.context.accept);
  const open = await serve(t, { ...northbound, authEnabled: false }, t.context.accept.engine);
  const { body } = await open.send('GET', `${API_PATH}/workflows/${id}`);
  t.regex(body.tasks[0].callback, /nonce=nwcb\./);
});

test('templates and profiles for a node contain the callback of the open wait, and those of all labels', async (t) => {
  const { it, id, node, south, callback, port } = await scene(t, t.context.accept);
  const [installed, booted] = [await callback(INSTALLED), await callback('wait-os-booted')];
  for (const name of ['ejs', 'braces']) {
    const { body } = await south('GET', `${API_PATH}/templates/${name}?nodeId=${node}`);
    t.deepEqual((body as string).split('|').map(pathOf), [installed, booted], name);
    t.is((await south('GET', `${API_PATH}/templates/${name}`)).body, '|', 'without a node nothing');
  }
  const { body } = await south('GET', `${API_PATH}/profiles/ejs?nodeId=${node}`);
  t.is(pathOf(body.split(' ')[1].trim()), installed);
  t.true(port > 0);
  t.is((await south('GET', installed)).status, 201);
  await it.reached(id, 'wait-os-booted', 'waiting');
  t.is(pathOf((await south('GET', `${API_PATH}/templates/ejs?nodeId=${node}`)).body.split('|')[0]), booted);
});

test('a microkernel gets the callback on its command line, with the address at which its node reached the daemon', async (t) => {
  const { it, id, node, south, port, callback } = await scene(t, t.context.accept, 'Graph.Test.Booting');
  await it.engine.lookups.create({ macAddress: '02:cb:00:00:00:01', node });
  await it.reached(id, 'boot', 'waiting');
  const { body } = await south('GET', `${API_PATH}/profiles?macs=02:cb:00:00:00:01`);
  t.is(inKernel(body), `http://127.0.0.1:${port}${await callback('wait')}`);
  for (const status of [201, 200]) t.is((await south('GET', pathOf(inKernel(body) ?? ''))).status, status);
  t.is((await it.finished(id)).status, 'succeeded');
});

test('a sender without the key of a boot gets no callback', async (t) => {
  const it = t.context.accept;
  const { port } = await serve(t, southbound, it.engine);
  const boot = async (from: string) =>
    (await senderFrom(t, port, from)('GET', `${API_PATH}/profiles?macs=02:cb:00:00:00:02`)).body as string;
  const node = nodeIn(await boot(HOME));
  await it.engine.control.cancelOn(node);
  await it.until(async () => (await it.engine.workflows.activeOn(node)) === undefined);
  const { id } = await it.launch('Graph.Test.Booting', {}, node);
  await it.reached(id, 'boot', 'waiting');
  t.is(typeof inKernel(await boot(HOME)), 'string');
  const others = await boot(ROGUE);
  t.deepEqual([keyIn(others), inKernel(others)], [undefined, undefined]);
});

test('where keys are required a callback works without one, and no other route does', async (t) => {
  const { id, node, port, callback } = await scene(t, t.context.require);
  const url = await callback(INSTALLED);
  const from = (address: string) => senderFrom(t, port, address);
  t.is((await from(STRANGER)('POST', `${API_PATH}/notification?nodeId=${node}`)).status, 403);
  t.is((await from(STRANGER)('POST', `${API_PATH}/notification?nodeId=${node}&task=${INSTALLED}&nonce=1`)).status, 403);
  t.is((await from(STRANGER)('GET', `${API_PATH}/templates/ejs?nodeId=${node}`)).status, 403);
  t.is((await from(STRANGER)('GET', url, keyed('x.y'))).status, 403, 'a wrong key is 403 everywhere');
  t.is((await from(STRANGER)('GET', url)).status, 201);
  t.is((await from('127.0.0.78')('GET', url)).status, 200);
  const row = await t.context.require.reached(id, 'wait-os-booted', 'waiting');
  t.is(row.tasks[1]?.state, 'waiting');
});

test('where keys are required a profile without a key has no callback', async (t) => {
  const it = t.context.require;
  const { node, port } = await scene(t, it);
  await it.engine.lookups.create({ macAddress: '02:cb:00:00:00:03', node });
  const text = 'x<%- task.callback %>x';
  await it.engine.files.put({ kind: 'profile', name: 'wait.ipxe', scope: null }, inParts(Buffer.from(text)));
  const { body } = await senderFrom(t, port, HOME)('GET', `${API_PATH}/profiles?macs=02:cb:00:00:00:03`);
  t.is(body, 'xx');
  await it.engine.files.remove({ kind: 'profile', name: 'wait.ipxe', scope: null });
});

test('a callback from an address, or with a key, of another node is 403', async (t) => {
  const it = t.context.accept;
  const { id, node, port, callback } = await scene(t, it);
  const other = await it.node();
  await it.engine.lookups.create({ macAddress: '02:cb:00:00:00:04', ipAddress: '127.0.0.41', node: other.id });
  await it.engine.lookups.create({ macAddress: '02:cb:00:00:00:05', ipAddress: '127.0.0.42', node });
  const from = (address: string) => senderFrom(t, port, address);
  const booted = (await from('127.0.0.43')('GET', `${API_PATH}/profiles?macs=02:cb:00:00:00:06`)).body as string;
  const url = await callback(INSTALLED);
  t.is((await from('127.0.0.41')('GET', url)).status, 403);
  t.is((await from('127.0.0.44')('POST', url, keyed(keyIn(booted)))).status, 403);
  t.is((await from('127.0.0.43')('POST', url)).status, 403, 'another node boots from there');
  t.is((await it.get(id)).tasks[0]?.state, 'waiting');
  t.is((await from('127.0.0.42')('GET', url)).status, 201);
});

for (const way of ['curl', 'busybox'] as const) {
  const missing = onPath(way) === undefined ? `${way} is not installed` : undefined;
  needing(missing).serial(
    `commands of the agent call back, by option and by $NODEWRIGHT_CALLBACK, with ${way}`,
    async (t) => {
      const { accept } = t.context as Engines;
      const fetch = way === 'curl' ? 'curl -sf' : 'wget -q -O -';
      const commands = `${fetch} "$NODEWRIGHT_CALLBACK" && ${fetch} "$NODEWRIGHT_CALLBACK" && echo "$NODEWRIGHT_CALLBACK"`;
      const { it, id, node, port, callback } = await scene(t as T, accept, 'Graph.Test.Agent', { run: { commands } });
      const path = way === 'busybox' ? { env: { PATH: busyboxPath(t) } } : {};
      const url = await callback('wait');
      startAgent(t, port, node, { fetch: way === 'curl' ? 'curl' : 'wget', ...path });
      const row = await it.finished(id);
      t.is(row.status, 'succeeded', JSON.stringify(row.tasks));
      const [result] = (row.tasks.at(1) as { output: { results: { stdout: string }[] } }).output.results;
      const said = result?.stdout ?? '';
      t.is(said.slice(said.lastIndexOf('/notification')), '/notification/callback?nonce=REDACTED\n', said);
      t.false(JSON.stringify(row).includes(url.split('nonce=')[1] as string));
    },
  );
}

test('no nonce is in a log, an event, a hook, a history or a record, even if tasks and agents print it', async (t) => {
  const it = t.context.accept;
  const { log, lines } = logLines();
  const listener = await openEndpoint(it.engine, southbound, log);
  t.teardown(() => listener.close(0));
  const receiver = await startReceiver(t);
  await it.engine.hooks.create({ url: receiver.url });
  const send = senderFrom(t, listener.port, STRANGER);
  const options = { run: { commands: 'curl {{ task.callback }}' } };
  const { id, node, north, as, callback } = await scene(t, it, 'Graph.Test.Agent', options);
  const url = await callback('wait');
  const nonce = url.split('nonce=')[1] as string;
  const [task] = (await send('GET', `${API_PATH}/tasks/${node}?wait=20`)).body.tasks;
  t.is(task.cmd, `curl http://127.0.0.1:9080${url}`);
  t.is(pathOf(task.callback), url);
  const taskId = (await it.get(id)).tasks[0]?.instanceId;
  const progress = `${API_PATH}/notification/progress?taskId=${taskId}&maximum=2&value=1&description=${encodeURIComponent(url)}`;
  t.is((await send('GET', progress)).status, 200);
  const catalog = { source: 'ohai', data: { cmdline: `nodewright.callback=${url}`, [url]: 1 } };
  t.is((await send('POST', `${API_PATH}/nodes/${node}/catalogs`, { body: catalog })).status, 201);
  const said = await send('POST', url, { body: { text: `I call ${url}` } });
  t.is(said.body.text, 'I call /api/current/notification/callback?nonce=REDACTED');
  const result = { id: task.id, exitCode: 7, stdout: url, stderr: `cannot fetch ${url}` };
  await send('POST', `${API_PATH}/tasks/${node}`, { body: { tasks: [result] } });
  await it.finished(id);
  const shown = { token: await as('Administrator') };
  const row = (await north('GET', `${API_PATH}/workflows/${id}`, shown)).body;
  t.is(row.status, 'failed');
  t.regex(row.tasks[1].error.message, /cannot fetch .*nonce=REDACTED/);
  const history = (await north('GET', `${API_PATH}/workflows/${id}/history`, shown)).body;
  const { items } = await it.engine.catalogs.latestOfSources({ skip: 0, limit: 9, filter: { node } });
  await it.until(() => receiver.posted.all.some(({ event }) => event.action === 'finished' && event.typeId === id));
  const hooks = receiver.posted.all.map(({ text }) => text);
  for (const [what, all] of Object.entries({ lines, events: it.events, row, history, items, hooks })) {
    t.false(JSON.stringify(all).includes(nonce.split('.').at(-1) as string), what);
  }
  t.true(lines.length > 4);
  t.is(it.events.filter(({ key }) => key === `notification.${node}`).length, 1);
});

test('a child with a callback as an option shows it without the nonce', async (t) => {
  const it = t.context.accept;
  await it.engine.library.putGraph({
    friendlyName: 'Gives',
    injectableName: 'Graph.Test.Gives',
    tasks: [
      { label: 'child', taskName: 'Task.Graph.Run', optionOverrides: { graphName: 'Graph.noop-example' } },
      { label: 'wait', taskName: 'Task.Wait.Notification' },
    ],
  });
  const graphOptions = { run: { commands: 'curl {{ task.callbacks.wait }}' } };
  const { id } = await it.launch('Graph.Test.Gives', { child: { graphName: 'Graph.Test.Agent', graphOptions } });
  const children = () => it.engine.workflows.list({ skip: 0, limit: 1, filter: { root: id } });
  await it.until(async () => (await children()).total === 1);
  const { items } = await children();
  t.regex(JSON.stringify(items[0]?.options), /nonce=REDACTED/);
});
