import test from 'ava';
import { northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

test('a node is created with the fields of the interface, and autodiscover in either spelling', async (t) => {
  const { send } = await openApi(t, open);
  const body = { type: 'compute', name: 'server-1', identifiers: ['aa:bb', 'aa:bb'], autodiscover: true };
  const { status, body: node, headers } = await send('POST', '/api/current/nodes', { body });
  t.is(status, 201);
  t.is(headers.get('location'), `/api/2.0/nodes/${node.id}`);
  const { id: _id, createdAt, updatedAt: _updatedAt, ...rest } = node;
  t.false(Number.isNaN(Date.parse(createdAt)));
  t.deepEqual(rest, {
    active: null,
    held: [],
    health: 'unknown',
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

test('a list of nodes is created as a whole, and answered in its order', async (t) => {
  const { send } = await openApi(t, open);
  const { body: rack } = await send('POST', '/api/current/nodes', { body: { type: 'rack', name: 'rack' } });
  const list = Array.from({ length: 25 }, (_, n) => ({
    type: 'compute',
    name: `n${n}`,
    identifiers: [`SN-${n}`],
    autodiscover: n % 2 === 0,
    obms: [{ service: 'noop-obm-service' }],
    relations: [{ relationType: 'containedBy', targets: [rack.id] }],
  }));
  const { status, body: nodes, headers } = await send('POST', '/api/current/nodes', { body: list });
  t.is(status, 201);
  t.is(headers.get('location'), null);
  for (const [n, node] of nodes.entries()) {
    const { autodiscover: autoDiscover, ...given } = list[n] ?? {};
    t.like(node, { ...given, autoDiscover, obms: [{ service: 'noop-obm-service' }] });
    t.deepEqual((await send('GET', `/api/current/nodes/SN-${n}`)).body, node);
  }
  const { body: shown } = await send('GET', `/api/current/nodes/${rack.id}`);
  t.is(shown.relations[0].targets.length, 25);
});

test('one bad node of a list spoils it: nothing is created, and each path has the index of its node', async (t) => {
  const { send } = await openApi(t, open);
  const node = (more: object = {}) => ({ type: 'compute', name: 'n', ...more });
  const post = (body: unknown) => send('POST', '/api/current/nodes', { body });
  const { body: taken } = await post(node({ identifiers: ['02:00:00:00:00:01'] }));
  const rejected = async (list: unknown, status: number, paths: string[]) => {
    const answer = await post(list);
    t.is(answer.status, status, JSON.stringify(answer.body));
    t.deepEqual(
      answer.body.errors.map(({ path }: { path: string }) => path),
      paths,
    );
    return answer.body;
  };
  const { message } = await rejected([node(), { type: 'toaster' }, node({ colour: 'red' }), 5], 400, [
    '[1].name',
    '[1].type',
    '[2].colour',
    '[3]',
  ]);
  t.is(message, 'Invalid body: [1].name is missing');
  await rejected([], 400, ['']);
  await rejected(Array(1_001).fill(node()), 400, ['']);
  await rejected(
    Array(500).fill({}),
    400,
    Array(50)
      .fill(0)
      .flatMap((_, n) => [`[${n}].type`, `[${n}].name`]),
  );
  const config = { host: '10.0.0.1', user: 5, password: 'x' };
  const unknown = [{ relationType: 'contains', targets: ['none'] }];
  const obms = [{ service: 'ipmi-obm-service', config }];
  await rejected([node({ relations: unknown }), node(), node({ obms })], 400, [
    '[0].relations',
    '[2].obms.0.config.user',
  ]);
  const alone = await send('POST', '/api/current/nodes', { body: node({ obms }) });
  t.deepEqual([alone.status, alone.body.errors[0].path], [400, 'obms.0.config.user']);
  const twice = await rejected(
    [node({ identifiers: ['SN-1'] }), node({ identifiers: ['020000000001'] }), node({ identifiers: ['x', 'SN-1'] })],
    409,
    ['[2].identifiers', '[1].identifiers'],
  );
  t.is(twice.code, 'DUPLICATE');
  t.is(twice.message, '[2].identifiers has SN-1, which [0] has too');
  t.regex(twice.errors[1].message, new RegExp(`which the node ${taken.id} has already`));
  const contains = [{ relationType: 'contains', targets: [taken.id] }];
  t.is((await post([node({ relations: contains }), node({ relations: contains })])).status, 409);
  t.deepEqual((await send('GET', '/api/current/nodes')).body.length, 1);
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
  // The client shortens the path as URLs are: the end of it is not what was to be removed.
  t.is((await send('DELETE', `/api/current/nodes/${node.id}/tags/..`)).status, 404);
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
  const beyond = await send('GET', '/api/current/nodes?$skip=900&$top=2');
  t.true(beyond.headers.get('link')?.includes('$skip=2&$top=2>; rel="prev"'));
});

test('an unknown filter, sort field or too large $top is rejected', async (t) => {
  const { send } = await openApi(t, open);
  for (const query of ['colour=red', 'sort=colour', '$top=1001', '$top=0', '$skip=-1', '$skip=x', 'name=a&name=b']) {
    const { status, body } = await send('GET', `/api/current/nodes?${query}`);
    t.is(status, 400, query);
    t.truthy(body.errors[0].path, query);
  }
});
