/** /profiles over real sockets: iPXE scripts for nodes that are known, new, waiting, or unidentified. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { pino } from 'pino';
import { sharedParts } from '../../api/endpoint/app.ts';
import { openEndpoint } from '../../api/endpoint/server.ts';
import { RequestsInHand } from '../../api/middleware/requests-in-hand.ts';
import { API_PATH } from '../support/data/api-paths.ts';
import { archiveOf } from '../support/data/archive.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, serve, southbound } from '../support/servers/api.ts';
import { senderFrom } from '../support/servers/sender.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

test.serial(
  'while more machines boot than the daemon can handle, they ask again, and nothing is done for them',
  async (t) => {
    const { it } = t.context;
    // No request waits for its turn, so none has one.
    const shared = { ...sharedParts(it.engine), requests: new RequestsInHand(undefined, -1) };
    const listener = await openEndpoint(it.engine, southbound, pino({ level: 'silent' }), shared);
    t.teardown(() => listener.close(0));
    const send = senderFrom(t, listener.port, '127.0.0.1');
    const { status, body } = await send('GET', `${API_PATH}/profiles?macs=02-CC-00-00-00-99`);
    t.is(status, 200);
    t.regex(body, /^#!ipxe\n.*^sleep 5\nchain --replace http:\S+\/api\/current\/profiles\?.*goto ask/ms);
    t.is(await it.engine.nodes.find('02:cc:00:00:00:99'), undefined);
    const polled = await send('GET', `${API_PATH}/tasks/${(await it.node()).id}`);
    t.like(polled, { status: 503, body: { code: 'UNAVAILABLE' } });
    t.is(polled.headers.get('retry-after'), '5');
    t.is((await send('GET', '/healthz')).status, 200);
  },
);

test.serial(
  'a new machine becomes a node and boots the microkernel; a known one without a workflow boots its local disk',
  async (t) => {
    const { it } = t.context;
    const { send, port } = await serve(t, southbound, it.engine);
    const {
      body: script,
      status,
      headers,
    } = await send('GET', '/api/current/profiles?macs=02-CC-00-00-00-01&ips=10.3.0.1');
    t.is(status, 200);
    t.regex(headers.get('content-type') ?? '', /^text\/plain/);
    const node = await it.engine.nodes.find('02:cc:00:00:00:01');
    const base = `http://127.0.0.1:${port}`;
    t.is(
      script,
      [
        '#!ipxe',
        `kernel ${base}/common/vmlinuz initrd=initrd.img nodewright.api=${base}/api/current nodewright.node=${node?.id} nodewright.key=${keyIn(script)}`,
        `initrd --name initrd.img ${base}/common/initrd.img`,
        'boot\n',
      ].join('\n'),
    );
    t.is((await it.engine.nodes.find('10.3.0.1'))?.id, node?.id);
    await it.engine.control.cancelOn(node?.id as string);
    await it.until(async () => (await it.engine.workflows.activeOn(node?.id as string)) === undefined);
    t.regex((await send('GET', '/api/current/profiles?macs=02:cc:00:00:00:01')).body, /exit\n$/);
    await it.launch('Graph.Demo.InstallOs', {}, node?.id);
    t.regex((await send('GET', '/api/current/profiles?macs=02:cc:00:00:00:01')).body, /sleep 5\nchain --replace /);
  },
);

test.serial('a node that is posted with autoDiscover is discovered, once', async (t) => {
  const { it } = t.context;
  const { send, as } = await serve(t, northbound, it.engine);
  const token = await as('Administrator');
  const { body } = await send('POST', '/api/current/nodes', {
    token,
    body: { type: 'compute', name: 'n', autodiscover: true },
  });
  const active = await send('GET', `/api/current/nodes/${body.id}/workflows?active=true`, { token });
  t.is(active.body[0]?.injectableName, 'Graph.SKU.Discovery');
  t.is((await send('GET', `/api/current/nodes/${body.id}/workflows`, { token })).body.length, 1);
});

/** Specific to its node, and hard to guess. */
const keyIn = (script: string) => /nodewright\.key=([\w-]+\.[\w-]{43})\s/.exec(script)?.[1];

const open = { ...northbound, authEnabled: false };
const builtIn = async (name: string) => (await readFile(`engine/inventory/files/profiles/${name}`)).toString();

/** A node whose workflow boots it, and the script that it gets. */
async function booting(t: ExecutionContext<{ it: TestEngine }>, options: Record<string, unknown>, mac: string) {
  const { it } = t.context;
  const { send, port } = await serve(t, southbound, it.engine);
  const { id } = await it.node();
  await it.engine.lookups.create({ macAddress: mac, node: id });
  await it.engine.library.putGraph({
    friendlyName: 'Boot',
    injectableName: 'Graph.Test.Profile',
    tasks: [{ label: 'boot', taskName: 'Task.Linux.Bootstrap' }],
  });
  const row = await it.launch('Graph.Test.Profile', { boot: options }, id);
  await it.reached(row.id, 'boot', 'waiting');
  t.teardown(() => it.engine.control.cancel(row.id));
  return { id, base: `http://127.0.0.1:${port}`, get: () => send('GET', `/api/current/profiles?macs=${mac}`) };
}

test.serial('a workflow determines the profile and the parameters that its node boots', async (t) => {
  const image = {
    kernelFile: 'http://10.0.0.9/k?a=1&b=2',
    initrdFile: '/dir/i',
    kernelArguments: 'console=ttyS0 quiet',
  };
  const { id, base, get } = await booting(t, image, '02:cc:00:00:01:01');
  const { body: script } = await get();
  t.deepEqual(script.split('\n'), [
    '#!ipxe',
    `kernel http://10.0.0.9/k?a=1&b=2 initrd=initrd.img nodewright.api=${base}/api/current nodewright.node=${id} nodewright.key=${keyIn(script)} console=ttyS0 quiet`,
    ...[`initrd --name initrd.img ${base}/dir/i`, 'boot', ''],
  ]);
  const other = await booting(t, { profile: 'of-mine' }, '02:cc:00:00:01:02');
  const { status, body } = await other.get();
  t.is(status, 404);
  t.regex(body.message, /^Profile not found: of-mine; upload it, or/);
  const { send } = await serve(t, open, t.context.it.engine);
  const raw = 'mine <%- boot.kernel %> <%= server %>:<%= port %> <%= node.id %>';
  await send('PUT', '/api/current/profiles/library/of-mine', { raw, headers: { 'content-type': 'text/plain' } });
  const { host } = new URL(other.base);
  t.is((await other.get()).body, `mine ${other.base}/common/vmlinuz ${host} ${other.id}`);
  // Only the texts of the package leave the sandbox.
  const hostile = 'mine <%- process.pid %>';
  await send('PUT', '/api/current/profiles/library/of-mine', {
    raw: hostile,
    headers: { 'content-type': 'text/plain' },
  });
  const refused = await other.get();
  t.is(refused.status, 400);
  t.regex(refused.body.message, /^of-mine does not render: line 1: .*process/);
});

test.serial(
  'a workflow that has installed a system and waits for its report lets the node boot its disk',
  async (t) => {
    const { it } = t.context;
    const { send } = await serve(t, southbound, it.engine);
    const { id } = await it.node();
    const mac = '02:cc:00:00:0a:01';
    await it.engine.lookups.create({ macAddress: mac, node: id });
    await it.engine.library.putGraph({
      friendlyName: 'Install',
      injectableName: 'Graph.Test.Installed',
      tasks: [
        { label: 'install', taskName: 'Task.Os.Install', optionOverrides: { profile: 'wait.ipxe' } },
        { label: 'report', taskName: 'Task.Wait.Notification', waitOn: { install: 'succeeded' } },
      ],
    });
    const row = await it.launch('Graph.Test.Installed', {}, id);
    const get = async () => (await send('GET', `/api/current/profiles?macs=${mac}`)).body;
    await it.reached(row.id, 'install', 'waiting');
    t.regex(await get(), /waiting for the workflow/);
    await send('POST', `/api/current/notification?nodeId=${id}`);
    await it.reached(row.id, 'report', 'waiting');
    t.regex(await get(), /booting what is installed/);
    await send('POST', `/api/current/notification?nodeId=${id}`);
    t.is((await it.finished(row.id)).status, 'succeeded');
  },
);

test.serial("a template is rendered for the node with a MAC, as scripts of RackHD's Windows PE ask", async (t) => {
  const { it } = t.context;
  const { id } = await it.node();
  await it.engine.lookups.create({ macAddress: '02:cc:00:00:0b:01', node: id });
  const parts = Readable.from([Buffer.from('for <%= node.id %>')]);
  await it.engine.files.put({ kind: 'template', name: 'of-mac', scope: null }, parts);
  const { send } = await serve(t, southbound, it.engine);
  t.is((await send('GET', '/api/2.0/templates/of-mac?macs=02:CC:00:00:0B:01')).body, `for ${id}`);
  t.is((await send('GET', '/api/2.0/templates/of-mac?macs=02:cc:00:00:0b:99')).status, 404);
});

test.serial(
  'a built-in profile is replaced by an uploaded one and by one of a pack, and is back without them',
  async (t) => {
    const { it } = t.context;
    const { id, get } = await booting(t, {}, '02:cc:00:00:02:01');
    const { send } = await serve(t, open, it.engine);
    const at = '/api/current/profiles/library/local.ipxe';
    t.deepEqual((await send('GET', '/api/current/profiles/metadata?name=local.ipxe')).body.length, 1);
    t.is((await send('GET', at)).body, await builtIn('local.ipxe'));
    const headers = { 'content-type': 'text/plain' };
    const put = (path: string, raw: string) => send('PUT', path, { raw, headers });
    t.is((await put(at, 'one that is put')).status, 201);
    t.is((await send('GET', at)).body, 'one that is put');
    for (const _ of ['there', 'built in']) {
      t.is((await send('DELETE', at)).status, 204);
      t.is((await send('GET', at)).body, await builtIn('local.ipxe'));
    }
    const before = (await get()).body;
    const rules = [{ path: 'dmi.kind', equals: 'profiled' }];
    const { body: sku } = await send('POST', '/api/current/skus', { body: { name: 'profiled', rules } });
    const raw = await archiveOf({ 'config.json': { httpProfileRoot: 'p' }, 'p/linux.ipxe': 'of <%= sku.name %>' });
    await send('PUT', `/api/current/skus/${sku.id}/pack`, { raw, headers: { 'content-type': 'application/gzip' } });
    await it.engine.catalogs.add(id, 'dmi', { kind: 'profiled' });
    t.is((await get()).body, 'of profiled');
    await send('DELETE', `/api/current/skus/${sku.id}/pack`);
    t.is((await get()).body, before);
  },
);

test.serial(
  'a machine is the node that a user created with its MAC as a name, in any spelling of either',
  async (t) => {
    const { it } = t.context;
    const { send } = await serve(t, southbound, it.engine);
    const identifiers = ['02-CC-00-00-03-01'];
    const { id } = await it.engine.nodes.create({ type: 'compute', name: 'racked', identifiers });
    for (const mac of ['02:cc:00:00:03:01', '02CC00000301', '02-CC-00-00-03-01']) {
      t.regex((await send('GET', `/api/current/profiles?macs=02:cc:00:00:03:00,${mac}`)).body, /exit\n$/, mac);
    }
    t.is((await it.engine.nodes.find('02:cc:00:00:03:00'))?.id, id, 'its other interface belongs to it, too');
  },
);

test.serial('a machine whose discovery could not begin yet waits for it', async (t) => {
  const { it } = t.context;
  const { send } = await serve(t, southbound, it.engine);
  const { discovery } = it.engine;
  // As when the store is away for a moment.
  const begin = discovery.begin;
  discovery.begin = async () => {};
  const get = () => send('GET', '/api/current/profiles?macs=02:cc:00:00:04:01');
  t.regex((await get()).body, /sleep 5\nchain --replace /);
  discovery.begin = begin;
  const { body } = await get();
  t.regex(body, /nodewright\.node=/);
});

test.serial('without MACs the script asks again with them; an invalid address is rejected', async (t) => {
  const { send, port } = await serve(t, southbound, t.context.it.engine);
  const { body } = await send('GET', '/api/current/profiles');
  t.regex(body, /^#!ipxe\nset who macs=.{net0\/mac}&ips=.{net0\/ip}\n/);
  t.regex(body, /\nisset .{net3\/mac} && set who .{who}&macs=.{net3\/mac}&ips=.{net3\/ip} \|\|\n/);
  const ask = `:ask\nchain --replace http://127.0.0.1:${port}/api/current/profiles?\${who} ||\n`;
  t.true(body.endsWith(`${ask}echo no answer: asking again\nsleep 5\ngoto ask\n`));
  for (const query of [
    'macs=x',
    'macs=02:00:00:00:00',
    'macs=02:00:00:00:00:01&ips=a%20b',
    `macs=${'02:00:00:00:00:01,'.repeat(65)}`,
  ]) {
    t.is((await send('GET', `/api/current/profiles?${query}`)).status, 400, query);
  }
});
