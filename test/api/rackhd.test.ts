/** Operations in the shapes that clients of RackHD send and read. */
import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, serve } from '../support/servers/api.ts';

let it: TestEngine;
test.before(async () => {
  it = await openEngine();
});
test.after.always(() => it?.close());

const open = { ...northbound, authEnabled: false };

async function api(t: ExecutionContext) {
  const { send } = await serve(t, open, it.engine);
  return (method: string, path: string, body?: unknown) =>
    send(method, `/api/2.0${path}`, body === undefined ? {} : { body });
}

test('a file is read and deleted by its name and by its uuid, which changes with its content', async (t) => {
  const { send } = await serve(t, open, it.engine);
  const put = (raw: string) =>
    send('PUT', '/api/2.0/files/boot.img', { raw, headers: { 'content-type': 'application/octet-stream' } });
  const { body: first } = await put('first');
  const { body: second } = await put('second');
  t.not(first.uuid, second.uuid);
  const md5 = createHash('md5').update('second').digest('hex');
  t.like(second, { name: 'boot.img', filename: 'boot.img', md5 });
  for (const name of ['boot.img', second.uuid]) {
    t.is((await send('GET', `/api/2.0/files/${name}`)).body, 'second');
    // As JSON, so with its quotes: scripts of RackHD compare the text with them.
    const sum = await send('GET', `/api/2.0/files/${name}/md5`);
    t.deepEqual([sum.headers.get('content-type'), sum.body], ['application/json; charset=utf-8', md5]);
    t.is(sum.headers.get('content-length'), String(md5.length + 2));
    t.deepEqual((await send('GET', `/api/2.0/files/${name}/metadata`)).body, second);
  }
  t.is((await send('GET', `/api/2.0/files/${first.uuid}`)).status, 404);
  t.true((await send('GET', '/api/2.0/files/static/list')).body.includes('boot.img'));
  t.is((await send('DELETE', `/api/2.0/files/${second.uuid}`)).status, 204);
  t.is((await send('GET', '/api/2.0/files/boot.img')).status, 404);
});

test('a template shows its id and hash; a view is stored, and changes no answer', async (t) => {
  const { send } = await serve(t, open, it.engine);
  const put = (path: string, raw: string) =>
    send('PUT', `/api/2.0${path}`, { raw, headers: { 'content-type': 'text/plain' } });
  const { body: template } = await put('/templates/library/shaped', 'hello');
  t.is(template.hash, template.sha256);
  t.regex(template.id, /^[0-9a-f-]{36}$/);
  const node = await it.node();
  const before = (await send('GET', `/api/2.0/nodes/${node.id}`)).body;
  t.is((await put('/views/node.2.0.json', '<% process.exit() %>')).status, 201);
  t.deepEqual((await send('GET', `/api/2.0/nodes/${node.id}`)).body, before);
  t.is((await send('GET', '/api/2.0/views/node.2.0.json')).body, '<% process.exit() %>');
  t.like((await send('GET', '/api/2.0/views')).body[0], { name: 'node.2.0.json', scope: 'global' });
  t.is((await send('DELETE', '/api/2.0/views/node.2.0.json')).status, 204);
});

test('a lookup may name a node that is not there yet, and finds it when it comes', async (t) => {
  const ask = await api(t);
  const made = await ask('POST', '/lookups', {
    macAddress: '02:00:00:00:00:01',
    ipAddress: '10.9.0.1',
    node: 'SN-later',
  });
  t.is(made.status, 201);
  t.is(made.body.node, 'SN-later');
  t.is((await ask('GET', '/nodes/10.9.0.1')).status, 404);
  const { body: node } = await ask('POST', '/nodes', { type: 'compute', name: 'later', identifiers: ['SN-later'] });
  for (const address of ['10.9.0.1', '02:00:00:00:00:01']) {
    t.is((await ask('GET', `/nodes/${address}`)).body.id, node.id, address);
  }
  const at = `/lookups/${made.body.id}`;
  t.is((await ask('PATCH', at, { node: '666' })).body.node, '666');
  t.is((await ask('PATCH', at, { ipAddress: '10.9.0.2' })).body.node, '666');
  t.is((await ask('PATCH', at, { node: 'SN-later' })).body.node, node.id);
  t.is((await ask('PATCH', at, { node: null })).body.node, null);
});

test('a machine whose MAC has a lookup for an unknown node boots as a new node', async (t) => {
  const mac = '02:00:00:00:00:02';
  await it.engine.lookups.create({ macAddress: mac, node: 'not-there' });
  const { id } = await it.engine.discovery.register({ macs: [mac], ips: [], from: '127.0.0.1' });
  t.not(id, 'not-there');
  t.is((await it.engine.nodes.find(mac))?.id, id);
});

test('an obm is changed by its id; it stays with its node and service', async (t) => {
  const ask = await api(t);
  const node = await it.node();
  const other = await it.node();
  const config = { host: '10.0.0.1', user: 'u', password: 'first' };
  const { body: obm } = await ask('PUT', '/obms', { nodeId: node.id, service: 'ipmi-obm-service', config });
  const at = `/obms/${obm.id}`;
  const changed = await ask('PATCH', at, {
    nodeId: node.id,
    config: { ...config, host: '10.0.0.2', password: 'next' },
  });
  t.like(changed, {
    status: 200,
    body: { id: obm.id, node: node.id, config: { host: '10.0.0.2', password: 'REDACTED' } },
  });
  t.deepEqual((await ask('PATCH', at, {})).body, changed.body);
  for (const [path, body] of [
    ['nodeId', { nodeId: other.id }],
    ['service', { service: 'noop-obm-service' }],
    ['config', { config: changed.body.config }],
  ] as const) {
    const rejected = await ask('PATCH', at, body);
    t.is(rejected.status, 400, path);
    t.is(rejected.body.errors[0].path, path);
  }
  t.is((await ask('PATCH', '/obms/none', {})).status, 404);
});

test('the definitions of obms and ibms are schemas by service', async (t) => {
  const ask = await api(t);
  const { body: paths } = await ask('GET', '/obms/definitions');
  t.true(paths.includes('/api/2.0/obms/definitions/ipmi-obm-service'));
  for (const name of ['ipmi-obm-service', 'ipmi-obm-service.json']) {
    const { body } = await ask('GET', `/obms/definitions/${name}`);
    t.is(body.title, 'ipmi-obm-service');
    t.true('password' in body.definitions['ipmi-obm-service'].properties.config.properties);
  }
  t.is((await ask('GET', '/ibms/definitions/ssh-ibm-service')).body.title, 'ssh-ibm-service');
  t.is((await ask('GET', '/obms/definitions/ssh-ibm-service')).status, 404);
});

test('ssh settings of a node are its ibm, without secrets, and go with the node', async (t) => {
  const ask = await api(t);
  const node = await it.node();
  const at = `/nodes/${node.id}/ssh`;
  const config = { host: '10.0.0.3', user: 'root', password: 'hidden', privateKey: 'key' };
  const { status, body: ssh } = await ask('POST', at, { service: 'ssh-ibm-service', config });
  t.is(status, 201);
  t.deepEqual(ssh.config, { host: '10.0.0.3', user: 'root', password: 'REDACTED', privateKey: 'REDACTED' });
  await ask('PUT', '/ibms', { nodeId: node.id, service: 'snmp-ibm-service', config: { host: 'h', community: 'c' } });
  t.deepEqual((await ask('GET', at)).body, [ssh]);
  t.is((await ask('GET', `/ibms?node=${node.id}`)).body.length, 2);
  t.is((await ask('GET', `/nodes/${node.id}/obm`)).body.length, 0);
  t.is((await ask('POST', at, { service: 'ipmi-obm-service', config })).status, 400);
  t.true(it.events.some(({ key }) => key === `node.ibms.updated.information.${node.id}.${node.id}`));
  t.is((await ask('DELETE', `/nodes/${node.id}`)).status, 204);
  t.is((await ask('GET', `/ibms/${ssh.id}`)).status, 404);
});

test('the light of a node is switched by a workflow', async (t) => {
  const ask = await api(t);
  const bare = await it.node();
  t.is((await ask('POST', '/obms/led', { nodeId: bare.id, value: true })).status, 409);
  await ask('PUT', '/obms', { nodeId: bare.id, service: 'noop-obm-service' });
  for (const [value, name] of [
    [true, 'Graph.IdentifyOn.Node'],
    [false, 'Graph.IdentifyOff.Node'],
  ] as const) {
    const { status, body } = await ask('POST', '/obms/led', { nodeId: bare.id, value });
    t.is(status, 201, JSON.stringify(body));
    t.is(body.injectableName, name);
    t.is((await it.finished(body.id)).status, 'succeeded');
  }
});

test('PUT /skus updates the SKU of that name, or creates it', async (t) => {
  const ask = await api(t);
  const sku = (equals: string) => ({ name: 'put twice', rules: [{ path: 'dmi.sort', equals }] });
  const first = await ask('PUT', '/skus', sku('a'));
  const second = await ask('PUT', '/skus', sku('b'));
  t.deepEqual([first.status, second.status], [201, 201]);
  t.is(first.body.id, second.body.id);
  t.deepEqual((await ask('GET', `/skus/${first.body.id}`)).body.rules, sku('b').rules);
});

test('a tag with rules is given to the nodes that match, now and when a catalog comes', async (t) => {
  const ask = await api(t);
  const [before, after, other] = [await it.node(), await it.node(), await it.node()];
  await it.engine.catalogs.add(before.id, 'dmi', { rack: 'r7' });
  const rules = [{ path: 'dmi.rack', equals: 'r7' }];
  const { status, body: tag } = await ask('POST', '/tags', { name: 'row seven', rules });
  t.is(status, 201);
  t.deepEqual(tag.rules, rules);
  const nodes = async () => (await ask('GET', '/tags/row%20seven/nodes')).body as { id: string; tags: string[] }[];
  await it.until(async () => (await nodes()).length === 1);
  t.like((await nodes())[0], { id: before.id, tags: ['row seven'] });
  await it.engine.catalogs.add(other.id, 'dmi', { rack: 'r8' });
  await it.engine.catalogs.add(after.id, 'dmi', { rack: 'r7' });
  await it.until(async () => (await nodes()).length === 2);
  t.deepEqual((await it.engine.nodes.find(other.id))?.tags, []);
  t.is((await ask('POST', '/tags', { name: 'row seven', rules })).status, 409);
  t.is((await ask('POST', '/tags', { name: 'bad', rules: [{ path: 'a..b' }] })).body.errors[0].path, 'rules.0.path');

  const started = await ask('POST', '/tags/row%20seven/nodes/workflows?name=Graph.noop-example', {});
  t.is(started.status, 202);
  t.deepEqual(started.body.map(({ node }: { node: string }) => node).sort(), [before.id, after.id].sort());
  t.is((await ask('POST', '/tags/none/nodes/workflows?name=Graph.noop-example', {})).body.length, 0);
  t.is((await ask('POST', '/tags/row%20seven/nodes/workflows?name=Graph.None', {})).status, 404);

  t.is((await ask('DELETE', '/tags/row%20seven')).status, 204);
  t.is((await ask('DELETE', '/tags/row%20seven')).status, 404);
  t.is((await nodes()).length, 2);
});

test('catalogs of firmware are found by their source', async (t) => {
  const ask = await api(t);
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'dell-firmware', { bios: '1.2' });
  await it.engine.catalogs.add(id, 'dmi', {});
  const { body } = await ask('GET', `/catalogs/${id}/firmware`);
  t.deepEqual(
    body.map(({ source, data }: { source: string; data: unknown }) => [source, data]),
    [['dell-firmware', { bios: '1.2' }]],
  );
});

test('schemas are listed by paths that answer, and each task has one of its options', async (t) => {
  const ask = await api(t);
  const { body: paths } = await ask('GET', '/schemas');
  t.true(paths.includes('/api/2.0/schemas/Node'));
  for (const path of paths as string[]) {
    const { status, body } = await ask('GET', path.replace('/api/2.0', ''));
    t.is(status, 200, path);
    t.deepEqual(Object.keys(body.definitions), [body.title]);
  }
  t.is((await ask('GET', '/schemas/None')).status, 404);
  t.true((await ask('GET', '/schemas/tasks')).body.includes('Task.noop'));
  t.is((await ask('GET', '/schemas/tasks/Task.noop')).body.title, 'Task.noop');
});

test('the definition of the name * is the list of all', async (t) => {
  const send = await api(t);
  for (const kind of ['graphs', 'tasks']) {
    const all = `/workflows/${kind}`;
    const { status, headers } = await send('GET', `${all}/*`);
    t.deepEqual([status, headers.get('location')], [302, `/api/current${all}`]);
    t.true((await send('GET', all)).body.length > 0);
  }
});

test('events of a workflow name its graph by its friendly name, and by the name that launches it', async (t) => {
  const { id } = await it.launch('Graph.noop-example');
  await it.finished(id);
  await it.until(() => it.events.some(({ key }) => key.startsWith(`graph.finished.information.${id}`)));
  const { body } = it.events.find(({ key }) => key.startsWith(`graph.finished.information.${id}`)) ?? {};
  const row = await it.get(id);
  t.not(row.name, row.graphName);
  t.like(body, { data: { graphName: row.name, injectableName: 'Graph.noop-example' } });
});
