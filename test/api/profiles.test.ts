/** /profiles over real sockets: iPXE scripts for nodes that are known, new, waiting, or said nothing of themselves. */
import anyTest, { type TestFn } from 'ava';
import { northbound, openApi, serve, southbound } from '../support/api.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';

const test = anyTest as TestFn<{ it: TestEngine }>;

test.before(async (t) => {
  t.context.it = await openEngine();
});
test.after.always((t) => t.context.it?.close());

test('a new machine is made a node and boots the microkernel; a known one without work boots what it has', async (t) => {
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
      `kernel ${base}/common/vmlinuz nodewright.api=${base}/api/current nodewright.node=${node?.id}`,
      `initrd ${base}/common/initrd.img`,
      'boot\n',
    ].join('\n'),
  );
  t.is((await it.engine.nodes.find('10.3.0.1'))?.id, node?.id);
  await it.engine.workflows.cancelOn(node?.id as string);
  await it.until(async () => (await it.engine.workflows.activeOn(node?.id as string)) === undefined);
  t.regex((await send('GET', '/api/current/profiles?macs=02:cc:00:00:00:01')).body, /exit\n$/);
  await it.launch('Graph.Demo.InstallOs', {}, node?.id);
  t.regex((await send('GET', '/api/current/profiles?macs=02:cc:00:00:00:01')).body, /sleep 5\nchain --replace /);
});

test('a node that is posted with autoDiscover is discovered, once', async (t) => {
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

test('without MACs the script asks again with them; what is no address is refused', async (t) => {
  const { send, port } = await openApi(t, southbound);
  const { body } = await send('GET', '/api/current/profiles');
  t.regex(body, /^#!ipxe\nset who macs=.{net0\/mac}&ips=.{net0\/ip}\n/);
  t.true(body.endsWith(`chain --replace http://127.0.0.1:${port}/api/current/profiles?\${who}\n`));
  for (const query of [
    'macs=x',
    'macs=02:00:00:00:00',
    'macs=02:00:00:00:00:01&ips=a%20b',
    `macs=${'02:00:00:00:00:01,'.repeat(65)}`,
  ]) {
    t.is((await send('GET', `/api/current/profiles?${query}`)).status, 400, query);
  }
});
