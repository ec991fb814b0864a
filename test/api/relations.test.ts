import test from 'ava';
import type { EventPayload } from '../../engine/define/event.ts';
import { type Api, northbound, openApi } from '../support/api.ts';

const open = { ...northbound, authEnabled: false };

interface Node {
  id: string;
  updatedAt: string;
  relations: { relationType: string; targets: string[] }[];
}

const at = (id: string) => `/api/2.0/nodes/${id}/relations`;

async function made({ engine }: Api, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await engine.nodes.create({ type: 'compute', name })).id);
  return ids;
}

const relationsOf = (nodes: Node[]) => nodes.map(({ id, relations }) => [id, relations]);

/** Action and node of each event, in order. */
const toldBy = (api: Api): string[] =>
  api.engine.told.splice(0).map(({ body }) => `${(body as EventPayload).action} ${(body as EventPayload).typeId}`);

test('PUT answers the node and its targets, which show the other side; DELETE answers them without', async (t) => {
  const api = await openApi(t, open);
  const [rack, one, two] = (await made(api, 'rack', 'one', 'two')) as [string, string, string];
  const contains = { contains: [one, two] };
  const put = await api.send('PUT', at(rack), { body: contains });
  t.is(put.status, 200);
  t.deepEqual(relationsOf(put.body), [
    [rack, [{ relationType: 'contains', targets: [one, two] }]],
    [one, [{ relationType: 'containedBy', targets: [rack] }]],
    [two, [{ relationType: 'containedBy', targets: [rack] }]],
  ]);
  t.deepEqual((await api.send('GET', at(one))).body, [{ relationType: 'containedBy', targets: [rack] }]);
  const removed = await api.send('DELETE', at(rack), { body: contains });
  t.is(removed.status, 200);
  t.deepEqual(
    relationsOf(removed.body),
    [rack, one, two].map((id) => [id, []]),
  );
  t.deepEqual((await api.send('GET', at(two))).body, []);
});

test('each pair shows on both sides, whichever side it is put on', async (t) => {
  const api = await openApi(t, open);
  for (const [type, other] of [
    ['contains', 'containedBy'],
    ['encloses', 'enclosedBy'],
    ['powers', 'poweredBy'],
    ['manages', 'managedBy'],
  ] as const) {
    for (const [mine, theirs] of [
      [type, other],
      [other, type],
    ] as const) {
      const [a, b] = (await made(api, 'a', 'b')) as [string, string];
      const { body } = await api.send('PUT', at(a), { body: { [mine]: [b] } });
      t.deepEqual(relationsOf(body), [
        [a, [{ relationType: mine, targets: [b] }]],
        [b, [{ relationType: theirs, targets: [a] }]],
      ]);
    }
  }
});

test('only nodes that changed are answered, told of, and dated anew', async (t) => {
  const api = await openApi(t, open);
  const [rack, one, two] = (await made(api, 'rack', 'one', 'two')) as [string, string, string];
  await api.send('PUT', at(rack), { body: { contains: [one] } });
  const [before] = (await api.send('GET', '/api/2.0/nodes?name=one')).body as [Node];
  toldBy(api);
  const { body } = await api.send('PUT', at(rack), { body: { contains: [one, two] } });
  t.deepEqual(
    body.map(({ id }: Node) => id),
    [rack, two],
  );
  t.deepEqual(toldBy(api), [`updated ${rack}`, `updated ${two}`]);
  t.true(body[0].updatedAt > body[0].createdAt);
  t.is((await api.send('GET', `/api/2.0/nodes/${one}`)).body.updatedAt, before.updatedAt);
  t.deepEqual((await api.send('PUT', at(rack), { body: { contains: [one, two] } })).body, []);
  t.deepEqual(toldBy(api), []);
});

test('itself, an unknown type and an unknown target are 400, a second container 409, and nothing changes', async (t) => {
  const api = await openApi(t, open);
  const [rack, other, one, two] = (await made(api, 'rack', 'other', 'one', 'two')) as [string, string, string, string];
  await api.send('PUT', at(rack), { body: { contains: [one] } });
  const before = (await api.send('GET', '/api/2.0/nodes')).body;
  toldBy(api);
  for (const method of ['PUT', 'DELETE']) {
    for (const body of [
      { contains: [rack] },
      { eats: [one] },
      { contains: [one, 'no-such-node'] },
      { contains: one },
    ]) {
      t.is((await api.send(method, at(rack), { body })).status, 400, `${method} ${JSON.stringify(body)}`);
    }
  }
  t.is((await api.send('PUT', at(other), { body: { powers: [two], contains: [two, one] } })).status, 409);
  t.is((await api.send('PUT', at(two), { body: { containedBy: [rack, other] } })).status, 409);
  t.deepEqual((await api.send('GET', '/api/2.0/nodes')).body, before);
  t.deepEqual(toldBy(api), []);
});

test('a node is created with relations, or not at all', async (t) => {
  const api = await openApi(t, open);
  const [rack] = (await made(api, 'rack')) as [string];
  toldBy(api);
  const node = { type: 'compute', name: 'new', obms: [{ service: 'noop-obm-service' }] };
  const relations = [{ relationType: 'containedBy', targets: [rack] }];
  const { body } = await api.send('POST', '/api/2.0/nodes', { body: { ...node, relations } });
  t.deepEqual(body.relations, relations);
  t.deepEqual(toldBy(api), [`added ${body.id}`, `obms.updated ${body.id}`, `updated ${rack}`]);
  const none = [{ relationType: 'containedBy', targets: ['no-such-node'] }];
  t.is((await api.send('POST', '/api/2.0/nodes', { body: { ...node, relations: none } })).status, 400);
  const twice = [{ relationType: 'containedBy', targets: [rack, body.id] }];
  t.is((await api.send('POST', '/api/2.0/nodes', { body: { ...node, relations: twice } })).status, 409);
  t.is((await api.send('GET', '/api/2.0/nodes')).body.length, 2);
  t.is((await api.send('GET', '/api/2.0/obms')).body.length, 1);
  t.deepEqual(toldBy(api), []);
});
