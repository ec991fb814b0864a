import test from 'ava';
import { northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

test('a node is created with the fields of the interface, and autodiscover in either spelling', async (t) => {
  const { send } = await openApi(t, open);
  const body = { type: 'compute', name: 'server-1', identifiers: ['aa:bb'], autodiscover: true };
  const { status, body: node, headers } = await send('POST', '/api/current/nodes', { body });
  t.is(status, 201);
  t.is(headers.get('location'), `/api/2.0/nodes/${node.id}`);
  const { id: _id, createdAt, updatedAt: _updatedAt, ...rest } = node;
  t.false(Number.isNaN(Date.parse(createdAt)));
  t.deepEqual(rest, {
    active: null,
    type: 'compute',
    name: 'server-1',
    autoDiscover: true,
    sku: null,
    identifiers: ['aa:bb'],
    obms: [],
    relations: [],
    tags: [],
    catalogs: [],
    workflows: [],
  });
  t.is((await send('GET', '/api/2.0/nodes/aa:bb')).body.id, node.id);
});

test('a node of an unknown type, without a name or with unknown fields is rejected, with each path', async (t) => {
  const { send } = await openApi(t, open);
  const { status, body } = await send('POST', '/api/current/nodes', { body: { type: 'toaster', colour: 'red' } });
  t.is(status, 400);
  t.is(body.code, 'INVALID');
  t.is(body.status, 400);
  t.deepEqual(body.errors.map(({ path }: { path: string }) => path).sort(), ['colour', 'name', 'type']);
});

test('PATCH changes mutable fields and rejects read-only ones', async (t) => {
  const { send } = await openApi(t, open);
  const { body: node } = await send('POST', '/api/current/nodes', { body: { type: 'rack', name: 'r' } });
  const path = `/api/current/nodes/${node.id}`;
  const changed = await send('PATCH', path, { body: { name: 'r2', autoDiscover: true } });
  t.is(changed.status, 200);
  t.like(changed.body, { name: 'r2', autoDiscover: true, type: 'rack' });
  for (const field of ['id', 'sku', 'createdAt', 'updatedAt', 'catalogs', 'workflows', 'obms', 'relations']) {
    const { status, body } = await send('PATCH', path, { body: { [field]: 'x' } });
    t.is(status, 400);
    t.is(body.errors[0].path, field);
  }
});

test('a node is deleted after DELETE', async (t) => {
  const { send } = await openApi(t, open);
  const { body: node } = await send('POST', '/api/current/nodes', { body: { type: 'pdu', name: 'p' } });
  const removed = await send('DELETE', `/api/current/nodes/${node.id}`);
  t.is(removed.status, 204);
  t.is(removed.body, '');
  const gone = await send('GET', `/api/current/nodes/${node.id}`);
  t.is(gone.status, 404);
  t.is(gone.body.message, `Could not find node with identifier ${node.id}`);
});

test('a list is filtered, sorted and split into pages that link to each other', async (t) => {
  const { send } = await openApi(t, open);
  for (const name of ['c', 'a', 'b']) await send('POST', '/api/current/nodes', { body: { type: 'compute', name } });
  await send('POST', '/api/current/nodes', { body: { type: 'rack', name: 'd', autoDiscover: true } });
  const names = async (query: string) =>
    (await send('GET', `/api/current/nodes?${query}`)).body.map((node: { name: string }) => node.name);
  t.deepEqual(await names('type=compute&sort=name'), ['a', 'b', 'c']);
  t.deepEqual(await names('sort=-name&$top=2'), ['d', 'c']);
  t.deepEqual(await names('autodiscover=true'), ['d']);
  const { headers } = await send('GET', '/api/current/nodes?sort=name&$skip=1&$top=2&auth_token=secret');
  const link = headers.get('link') ?? '';
  t.false(link.includes('secret'));
  t.true(link.includes('</api/current/nodes?sort=name&$skip=3&$top=2>; rel="next"'));
  t.true(link.includes('$skip=0&$top=2>; rel="prev"'));
});

test('an unknown filter, sort field or too large $top is rejected', async (t) => {
  const { send } = await openApi(t, open);
  for (const query of ['colour=red', 'sort=colour', '$top=1001', '$top=0', '$skip=-1', '$skip=x', 'name=a&name=b']) {
    const { status, body } = await send('GET', `/api/current/nodes?${query}`);
    t.is(status, 400, query);
    t.truthy(body.errors[0].path, query);
  }
});
