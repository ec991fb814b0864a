/** The dependents of nodes: tags, relations, catalogs, obms, lookups. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { NODES_PATH } from '../support/data/api-paths.ts';
import { type Api, northbound, openApi, southbound } from '../support/servers/api.ts';

const open = (t: ExecutionContext) => openApi(t, { ...northbound, authEnabled: false });

async function nodes({ send }: Api, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push((await send('POST', NODES_PATH, { body: { type: 'compute', name: `n${n}` } })).body.id);
  }
  return ids;
}

const one = async (api: Api): Promise<string> => (await nodes(api, 1))[0] as string;
const three = async (api: Api) => (await nodes(api, 3)) as [string, string, string];

test('tags are added, each once, listed, filtered by, and removed from one node or from all', async (t) => {
  const api = await open(t);
  const [a, b] = await three(api);
  const { send } = api;
  t.deepEqual((await send('PATCH', `${NODES_PATH}/${a}/tags`, { body: { tags: ['x', 'y', 'x'] } })).body, ['x', 'y']);
  t.deepEqual((await send('PATCH', `${NODES_PATH}/${a}/tags`, { body: { tags: ['y', 'z'] } })).body, ['x', 'y', 'z']);
  await send('PATCH', `${NODES_PATH}/${b}/tags`, { body: { tags: ['z'] } });
  t.is((await send('GET', `${NODES_PATH}?tags=z`)).body.length, 2);
  t.is((await send('DELETE', `${NODES_PATH}/${a}/tags/x`)).status, 204);
  t.is((await send('DELETE', `${NODES_PATH}/${a}/tags/x`)).status, 404);
  t.deepEqual((await send('GET', `${NODES_PATH}/${a}/tags`)).body, ['y', 'z']);
  t.is((await send('DELETE', `${NODES_PATH}/tags/z`)).status, 204);
  t.deepEqual((await send('GET', `${NODES_PATH}/${a}/tags`)).body, ['y']);
  t.deepEqual((await send('GET', `${NODES_PATH}/${b}/tags`)).body, []);
});

test('relations that are put on one side show on the other, and are deleted on both', async (t) => {
  const api = await open(t);
  const [rack, a, b] = await three(api);
  const { send } = api;
  const put = await send('PUT', `${NODES_PATH}/${rack}/relations`, { body: { contains: [a, b] } });
  t.is(put.status, 200);
  t.deepEqual(
    put.body.map(({ id }: { id: string }) => id),
    [rack, a, b],
  );
  t.deepEqual((await send('GET', `${NODES_PATH}/${a}/relations`)).body, [
    { relationType: 'containedBy', targets: [rack] },
  ]);
  t.deepEqual((await send('GET', `${NODES_PATH}/${rack}`)).body.relations, [
    { relationType: 'contains', targets: [a, b] },
  ]);
  const removed = await send('DELETE', `${NODES_PATH}/${a}/relations`, { body: { containedBy: [rack] } });
  t.is(removed.status, 200);
  t.is(removed.body.length, 2);
  t.deepEqual((await send('GET', `${NODES_PATH}/${rack}/relations`)).body, [
    { relationType: 'contains', targets: [b] },
  ]);
  t.is((await send('DELETE', `${NODES_PATH}/${rack}`)).status, 204);
  t.deepEqual((await send('GET', `${NODES_PATH}/${b}/relations`)).body, []);
});

test('an invalid relation is rejected, and nothing changes', async (t) => {
  const api = await open(t);
  const [rack, other, a] = await three(api);
  const { send } = api;
  await send('PUT', `${NODES_PATH}/${rack}/relations`, { body: { contains: [a] } });
  const rejected: [number, string, object][] = [
    [400, rack, { contains: [rack] }],
    [400, rack, { powers: [other, 'nobody'] }],
    [400, rack, { likes: [other] }],
    [400, rack, { contains: 'a' }],
    [409, other, { powers: [rack], contains: [a] }],
    [409, a, { containedBy: [other] }],
  ];
  for (const [status, id, body] of rejected) {
    t.is((await send('PUT', `${NODES_PATH}/${id}/relations`, { body })).status, status, JSON.stringify(body));
  }
  t.deepEqual((await send('GET', `${NODES_PATH}/${other}/relations`)).body, []);
  t.deepEqual((await send('GET', `${NODES_PATH}/${rack}/relations`)).body, [
    { relationType: 'contains', targets: [a] },
  ]);
  const relations = [{ relationType: 'containedBy', targets: [rack, other] }];
  const made = await send('POST', NODES_PATH, { body: { type: 'compute', name: 'two', relations } });
  t.is(made.status, 409);
  t.is((await send('GET', `${NODES_PATH}?name=two`)).body.length, 0);
});

test('one of many concurrent requests to contain a node succeeds', async (t) => {
  const api = await open(t);
  const [a, ...racks] = await nodes(api, 9);
  const puts = racks.map((rack) => api.send('PUT', `${NODES_PATH}/${rack}/relations`, { body: { contains: [a] } }));
  const statuses = (await Promise.all(puts)).map(({ status }) => status);
  t.deepEqual([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 409).length], [1, 7]);
  t.is((await api.send('GET', `${NODES_PATH}/${a}/relations`)).body[0].targets.length, 1);
});

test('each relation shows on both sides after any sequence of puts and deletes', async (t) => {
  const api = await open(t);
  const ids = await nodes(api, 4);
  const inverse: Record<string, string> = {};
  for (const [type, other] of [
    ['contains', 'containedBy'],
    ['encloses', 'enclosedBy'],
    ['powers', 'poweredBy'],
    ['manages', 'managedBy'],
  ] as const) {
    inverse[type] = other;
    inverse[other] = type;
  }
  const index = fc.nat(3);
  const change = fc.record({
    method: fc.constantFrom('PUT', 'DELETE'),
    node: index,
    type: fc.constantFrom(...Object.keys(inverse)),
    targets: fc.uniqueArray(index, { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (changes) => {
      for (const { method, node, type, targets } of changes) {
        const body = { [type]: targets.map((at) => ids[at]) };
        t.true(
          [200, 400, 409].includes((await api.send(method, `${NODES_PATH}/${ids[node]}/relations`, { body })).status),
        );
      }
      const sides = new Set<string>();
      for (const { id, relations } of (await api.send('GET', NODES_PATH)).body) {
        for (const { relationType, targets } of relations) {
          for (const target of targets) sides.add(`${id} ${relationType} ${target}`);
        }
      }
      for (const side of sides) {
        const [id, type, target] = side.split(' ') as [string, string, string];
        t.true(sides.has(`${target} ${inverse[type]} ${id}`), side);
      }
    }),
    { numRuns: 25 },
  );
});

test('catalogs: the latest of each source is shown, older ones by their id, the newest ten are kept', async (t) => {
  const api = await open(t);
  const { send } = api;
  const id = await one(api);
  const made: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { status, body } = await send('POST', `${NODES_PATH}/${id}/catalogs`, {
      body: { source: 'dmi', data: { n } },
    });
    t.is(status, 201);
    t.like(body, { node: id, source: 'dmi', data: { n } });
    made.push(body.id);
  }
  await send('POST', `${NODES_PATH}/${id}/catalogs`, { body: { source: 'ohai', data: {} } });
  const all = (await send('GET', `${NODES_PATH}/${id}/catalogs`)).body;
  t.deepEqual(
    all.map(({ source }: { source: string }) => source),
    ['dmi', 'ohai'],
  );
  t.is((await send('GET', `${NODES_PATH}/${id}/catalogs/dmi`)).body.id, made[11]);
  t.is((await send('GET', `${NODES_PATH}/${id}/catalogs/none`)).status, 404);
  t.deepEqual((await send('GET', `/api/2.0/catalogs/${made[2]}`)).body.data, { n: 2 });
  t.is((await send('GET', `/api/2.0/catalogs/${made[1]}`)).status, 404);
  const kept = (await send('GET', '/api/2.0/catalogs?source=dmi')).body.map((one: { id: string }) => one.id);
  t.deepEqual(kept, made.slice(2).reverse(), 'all stored catalogs, the newest first');
  t.is((await send('DELETE', `${NODES_PATH}/${id}`)).status, 204);
  t.is((await send('GET', `/api/2.0/catalogs/${made[11]}`)).status, 404);
});

test('a catalog that many clients post at the same time has one latest version, and no more than ten are kept', async (t) => {
  const api = await open(t);
  const id = await one(api);
  const posts = Array.from({ length: 20 }, (_, n) =>
    api.send('POST', `${NODES_PATH}/${id}/catalogs`, { body: { source: 's', data: { n } } }),
  );
  const ids = (await Promise.all(posts)).map(({ body }) => body.id);
  const latest = (await api.send('GET', `${NODES_PATH}/${id}/catalogs`)).body;
  t.is(latest.length, 1);
  t.true(ids.includes(latest[0].id));
  const kept = await Promise.all(ids.map((catalog) => api.send('GET', `/api/current/catalogs/${catalog}`)));
  t.is(kept.filter(({ status }) => status === 200).length, 10);
});

test('a node posts its catalogs southbound, without a token', async (t) => {
  const api = await open(t);
  const id = await one(api);
  const south = await openApi(t, southbound, api.engine);
  const { status } = await south.send('POST', `${NODES_PATH}/${id}/catalogs`, {
    body: { source: 'dmi', data: { a: 1 } },
  });
  t.is(status, 201);
  t.is((await south.send('GET', `${NODES_PATH}/${id}/catalogs`)).status, 405);
  t.deepEqual((await api.send('GET', `${NODES_PATH}/${id}/catalogs/dmi`)).body.data, { a: 1 });
});

test('an obm is set once for each service, shown without its secrets, and listed in the node', async (t) => {
  const api = await open(t);
  const { send } = api;
  const id = await one(api);
  const config = { host: '10.1.1.1', user: 'admin', password: 'hush-hush' };
  const put = await send('PUT', `${NODES_PATH}/${id}/obm`, { body: { service: 'ipmi-obm-service', config } });
  t.is(put.status, 201);
  t.like(put.body, { nodeId: id, config: { host: '10.1.1.1', user: 'admin', password: 'REDACTED' } });
  const again = await send('PUT', '/api/2.0/obms', {
    body: { nodeId: id, service: 'ipmi-obm-service', config: { ...config, host: '10.1.1.2' } },
  });
  t.is(again.status, 201);
  t.is(again.body.id, put.body.id);
  t.is((await send('PUT', '/api/2.0/obms', { body: { nodeId: 'none', service: 'noop-obm-service' } })).status, 400);
  t.is((await send('PUT', `${NODES_PATH}/${id}/obm`, { body: { service: 'magic' } })).status, 400);
  const ref = `/api/2.0/obms/${put.body.id}`;
  t.deepEqual((await send('GET', `${NODES_PATH}/${id}`)).body.obms, [{ ref, service: 'ipmi-obm-service' }]);
  t.is((await send('GET', ref)).body.config.host, '10.1.1.2');
  t.is((await send('GET', `${NODES_PATH}/${id}/obm`)).body.length, 1);
  t.deepEqual(await api.engine.obms.config(id, 'ipmi-obm-service'), { ...config, host: '10.1.1.2' });
  t.false(JSON.stringify(await api.engine.stored('obms')).includes('hush-hush'));
  t.is((await send('DELETE', ref)).status, 204);
  t.is((await send('DELETE', ref)).status, 404);
});

test('lookups are created, found by term, changed and removed; an existing MAC is 400; in 1.1 POST is 200', async (t) => {
  const api = await open(t);
  const { send } = api;
  const id = await one(api);
  const body = { macAddress: '0A:1b:2C:3d:4E:5f', ipAddress: '10.0.0.9', node: id };
  const made = await send('POST', '/api/1.1/lookups', { body });
  t.is(made.status, 200);
  t.like(made.body, { macAddress: '0a:1b:2c:3d:4e:5f', ipAddress: '10.0.0.9', node: id });
  t.is((await send('POST', '/api/current/lookups', { body })).status, 400);
  t.is((await send('POST', '/api/current/lookups', { body: { macAddress: '0a:1b:2c:3d:4e:60' } })).status, 201);
  t.is((await send('POST', '/api/current/lookups', { body: { ...body, macAddress: 'x' } })).status, 400);
  for (const q of ['0A:1B:2C:3D:4E:5F', '10.0.0.9', id]) {
    t.deepEqual(
      (await send('GET', `/api/current/lookups?q=${q}`)).body.map(({ id: found }: { id: string }) => found),
      [made.body.id],
    );
  }
  for (const identifier of ['0a:1b:2c:3d:4e:5f', '0A:1B:2C:3D:4E:5F', '10.0.0.9']) {
    t.is((await send('GET', `${NODES_PATH}/${identifier}`)).body.id, id);
  }
  const path = `/api/2.0/lookups/${made.body.id}`;
  t.is((await send('PATCH', path, { body: { ipAddress: '10.0.0.10' } })).body.ipAddress, '10.0.0.10');
  t.is((await send('PATCH', path, { body: { macAddress: '0a:1b:2c:3d:4e:60' } })).status, 400);
  t.is((await send('PATCH', path, { body: { node: 'not there yet' } })).body.node, 'not there yet');
  t.is((await send('DELETE', path)).status, 204);
  t.is((await send('GET', path)).status, 404);
});

test('every change of a node is published', async (t) => {
  const api = await open(t);
  const { send } = api;
  const [rack, a] = await three(api);
  await send('PUT', `${NODES_PATH}/${rack}/relations`, { body: { contains: [a] } });
  await send('PATCH', `${NODES_PATH}/${a}/tags`, { body: { tags: ['x'] } });
  await send('DELETE', `${NODES_PATH}/${a}/tags/x`);
  await send('PUT', `${NODES_PATH}/${a}/obm`, { body: { service: 'noop-obm-service' } });
  await send('PATCH', `${NODES_PATH}/${a}`, { body: { name: 'other' } });
  await send('DELETE', `${NODES_PATH}/${a}`);
  const told = api.engine.told.map(({ key }) => key.split('.').slice(1, -3).join('.'));
  const of = (id: string) => told.filter((_, at) => api.engine.told[at]?.key.endsWith(`.${id}`));
  t.deepEqual(of(a), ['added', 'updated', 'updated', 'updated', 'obms.updated', 'updated', 'removed']);
  t.deepEqual(of(rack), ['added', 'updated', 'updated']);
});
