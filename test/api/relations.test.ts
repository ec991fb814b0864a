/**
 * Nodes in the answer, nodes with an event and changed dates when relations change; the rest is in `hanging.test.ts`.
 */
import test from 'ava';
import type { EventPayload } from '../../engine/vocabulary/event.ts';
import { type Api, northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

interface Node {
  id: string;
  updatedAt: string;
}

const at = (id: string) => `/api/2.0/nodes/${id}/relations`;

async function made({ engine }: Api, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await engine.nodes.create({ type: 'compute', name })).id);
  return ids;
}

/** Action and node of each event, in order. */
const toldBy = (api: Api): string[] =>
  api.engine.told.splice(0).map(({ body }) => `${(body as EventPayload).action} ${(body as EventPayload).typeId}`);

test('only changed nodes are in the answer, in events, and have a new date', async (t) => {
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

test('DELETE rejects an invalid relation too, and nothing changes', async (t) => {
  const api = await openApi(t, open);
  const [rack, one] = (await made(api, 'rack', 'one')) as [string, string];
  await api.send('PUT', at(rack), { body: { contains: [one] } });
  const before = (await api.send('GET', '/api/2.0/nodes')).body;
  toldBy(api);
  for (const body of [{ contains: [rack] }, { eats: [one] }, { contains: [one, 'no-such-node'] }, { contains: one }]) {
    t.is((await api.send('DELETE', at(rack), { body })).status, 400, JSON.stringify(body));
  }
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
