import test from 'ava';
import { northbound, openApi, type Send } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };
const rules = [{ path: 'dmi.System Information.Manufacturer', contains: 'Dell' }];
const paths = ({ errors }: { errors: { path: string }[] }) => errors.map(({ path }) => path);

async function nodeWith(send: Send, catalogs: Record<string, object>): Promise<string> {
  const { body } = await send('POST', '/api/current/nodes', { body: { type: 'compute', name: 'n' } });
  for (const [source, data] of Object.entries(catalogs)) {
    const posted = await send('POST', `/api/current/nodes/${body.id}/catalogs`, { body: { source, data } });
    if (posted.status !== 201) throw new Error(`the catalog gave ${posted.status}`);
  }
  return body.id;
}

const dell = { dmi: { 'System Information': { Manufacturer: 'Dell Inc.' } } };

test('a SKU is created, read, changed and removed, on both paths', async (t) => {
  const { send } = await openApi(t, open);
  const graph = { discoveryGraphName: 'Graph.Later', discoveryGraphOptions: { defaults: { a: 1 } } };
  const made = await send('POST', '/api/2.0/skus', { body: { name: 'dell', rules, ...graph } });
  t.is(made.status, 201);
  const { id, createdAt, updatedAt } = made.body;
  t.is(made.headers.get('location'), `/api/2.0/skus/${id}`);
  t.deepEqual(made.body, { id, name: 'dell', rules, ...graph, createdAt, updatedAt });
  t.is(createdAt, updatedAt);
  t.deepEqual((await send('GET', `/api/current/skus/${id}`)).body, made.body);
  t.deepEqual((await send('GET', '/api/current/skus?name=dell')).body, [made.body]);
  const changed = await send('PATCH', `/api/current/skus/${id}`, { body: { name: 'other', discoveryGraphName: null } });
  t.is(changed.status, 200);
  t.like(changed.body, { id, name: 'other', createdAt });
  t.false('discoveryGraphName' in changed.body);
  const gone = await send('DELETE', `/api/2.0/skus/${id}`);
  t.is(gone.status, 204);
  t.is(gone.body, '');
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/nodes'],
    ['DELETE', ''],
  ] as const) {
    t.is((await send(method, `/api/current/skus/${id}${path}`)).status, 404);
  }
});

test('a name belongs to one SKU', async (t) => {
  const { send } = await openApi(t, open);
  const names = ['a', 'b'];
  const [a] = await Promise.all(names.map((name) => send('POST', '/api/current/skus', { body: { name, rules } })));
  const again = await send('POST', '/api/current/skus', { body: { name: 'b', rules } });
  t.is(again.status, 409);
  t.like(again.body, { message: 'duplicate name found', code: 'DUPLICATE', status: 409 });
  const renamed = await send('PATCH', `/api/current/skus/${a?.body.id}`, { body: { name: 'b' } });
  t.is(renamed.status, 409);
  t.is(renamed.body.message, 'duplicate name found');
  t.is((await send('PATCH', `/api/current/skus/${a?.body.id}`, { body: { name: 'a' } })).status, 200);
});

test('one of many concurrent creations with one name succeeds', async (t) => {
  const { send } = await openApi(t, open);
  const body = { name: 'one', rules };
  const made = await Promise.all(Array.from({ length: 10 }, () => send('POST', '/api/current/skus', { body })));
  t.deepEqual(made.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)]);
  t.is((await send('GET', '/api/current/skus')).body.length, 1);
});

test('invalid values are rejected, each with its path, and nothing is created', async (t) => {
  const { send } = await openApi(t, open);
  const rule = { path: 'a.b' };
  const wrong: [object, string[]][] = [
    [{}, ['name', 'rules']],
    [{ name: 'x' }, ['rules']],
    [{ name: '', rules: [rule] }, ['name']],
    [{ name: 'x', rules: [] }, ['rules']],
    [{ name: 'x', rules: {} }, ['rules']],
    [{ name: 'x', rules: [rule], id: 'mine' }, ['id']],
    [{ name: 'x', rules: [{}] }, ['rules.0.path']],
    [{ name: 'x', rules: [rule, { path: 'a..b' }] }, ['rules.1.path']],
    [{ name: 'x', rules: [{ ...rule, equal: 1 }] }, ['rules.0.equal']],
    [{ name: 'x', rules: [{ ...rule, in: 'a', contains: 5 }] }, ['rules.0.in', 'rules.0.contains']],
    [{ name: 'x', rules: [{ ...rule, regex: '(' }] }, ['rules.0.regex']],
    [{ name: 'x', rules: [rule], discoveryGraphName: 5 }, ['discoveryGraphName']],
  ];
  for (const [body, expected] of wrong) {
    const rejected = await send('POST', '/api/current/skus', { body });
    t.is(rejected.status, 400, JSON.stringify(body));
    for (const path of expected)
      t.true(paths(rejected.body).includes(path), `${path}: ${JSON.stringify(rejected.body)}`);
  }
  t.is((await send('POST', '/api/current/skus', { body: { name: 'x', rules: [{ ...rule, min: 'a' }] } })).status, 400);
  t.deepEqual((await send('GET', '/api/current/skus')).body, []);
  const { body: sku } = await send('POST', '/api/current/skus', { body: { name: 'x', rules } });
  for (const body of [{ id: 'mine' }, { rules: [] }, { rules: [{ path: 'a', notRegex: '[' }] }, { createdAt: 'x' }]) {
    t.is((await send('PATCH', `/api/current/skus/${sku.id}`, { body })).status, 400, JSON.stringify(body));
  }
  t.deepEqual((await send('GET', `/api/current/skus/${sku.id}`)).body, sku);
});

test('a catalog assigns a SKU to its node, and removes it', async (t) => {
  const { send, engine } = await openApi(t, open);
  const { body: sku } = await send('POST', '/api/current/skus', { body: { name: 'dell', rules } });
  const id = await nodeWith(send, dell);
  const skuOf = async () => (await send('GET', `/api/current/nodes/${id}`)).body.sku;
  t.is(await skuOf(), sku.id);
  t.deepEqual(
    (await send('GET', `/api/2.0/skus/${sku.id}/nodes`)).body.map((node: { id: string }) => node.id),
    [id],
  );
  await send('POST', `/api/current/nodes/${id}/catalogs`, { body: { source: 'dmi', data: {} } });
  t.is(await skuOf(), null);
  t.deepEqual((await send('GET', `/api/2.0/skus/${sku.id}/nodes`)).body, []);
  const told = engine.told.map(({ key, body }) => ({ key, data: (body as { data: object }).data }));
  const data = { nodeId: id, nodeType: 'compute' };
  t.deepEqual(
    told.filter(({ key }) => key.includes('.sku.')),
    [
      { key: `node.sku.assigned.information.${id}.${id}`, data: { ...data, oldSku: null, newSku: sku.id } },
      { key: `node.sku.unassigned.information.${id}.${id}`, data: { ...data, oldSku: sku.id, newSku: null } },
    ],
  );
});

test('match explains rules for a node', async (t) => {
  const { send } = await openApi(t, open);
  const nodeId = await nodeWith(send, dell);
  const asked = [...rules, { path: 'dmi.none', min: 1 }];
  const { status, body } = await send('POST', '/api/current/skus/match', { body: { rules: asked, nodeId } });
  t.is(status, 200);
  const path = rules[0]?.path;
  t.deepEqual(body, {
    nodeId,
    matched: false,
    rules: [
      { path, operator: 'contains', expected: 'Dell', exists: true, value: 'Dell Inc.', passed: true },
      { path: 'dmi.none', operator: 'min', expected: 1, exists: false, value: null, passed: false },
    ],
  });
});

test('match explains each SKU for a node, and names the SKU to assign', async (t) => {
  const { send } = await openApi(t, open);
  const nodeId = await nodeWith(send, dell);
  const make = async (name: string, all: object[]) =>
    (await send('POST', '/api/current/skus', { body: { name, rules: all } })).body.id;
  const [less, more, none] = [
    await make('less', rules),
    await make('more', [...rules, { path: 'dmi' }]),
    await make('none', [{ path: 'bmc' }]),
  ];
  const { body } = await send('POST', '/api/2.0/skus/match', { body: { nodeId } });
  t.is(body.nodeId, nodeId);
  t.is(body.sku, more);
  t.deepEqual(
    body.skus.map(({ id, name, matched }: Record<string, unknown>) => [id, name, matched]),
    [
      [less, 'less', true],
      [more, 'more', true],
      [none, 'none', false],
    ],
  );
  t.like(body.skus[2].rules[0], { path: 'bmc', operator: null, exists: false, passed: false });
  const paged = await send('POST', '/api/2.0/skus/match?$top=1', { body: { nodeId } });
  t.is(paged.body.sku, more);
  t.is(paged.body.skus.length, 1);
  t.true(paged.headers.get('link')?.includes('rel="next"'));
});

test('match lists the nodes that match rules, a page of nodes at a time', async (t) => {
  const { send } = await openApi(t, open);
  const own = await nodeWith(send, dell);
  await nodeWith(send, { dmi: {} });
  const other = await nodeWith(send, dell);
  const match = (query = '') => send('POST', `/api/current/skus/match${query}`, { body: { rules } });
  const all = await match();
  t.deepEqual(all.body, { nodes: [own, other] });
  const page = await match('?$top=2');
  t.deepEqual(page.body, { nodes: [own] });
  t.true(page.headers.get('link')?.includes('$top=2&$skip=2>; rel="next"'));
  t.deepEqual((await match('?$top=2&$skip=2')).body, { nodes: [other] });
});

test('match rejects an empty request, an invalid one, and an unknown node', async (t) => {
  const { send } = await openApi(t, open);
  const match = (body: object) => send('POST', '/api/current/skus/match', { body });
  for (const body of [{}, { rules: [] }, { rules: [{ path: '.' }] }, { rules, colour: 1 }, { nodeId: '' }]) {
    t.is((await match(body)).status, 400, JSON.stringify(body));
  }
  const missing = await match({ nodeId: 'missing' });
  t.is(missing.status, 404);
  t.is(missing.body.message, 'Could not find node with identifier missing');
});
