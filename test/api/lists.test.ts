/** Rules of every list: pages, a Link header, filters by the fields of its records, and no others. */
import test from 'ava';
import { EMPTY_ROLLOUT } from '../support/engine/fake-fleet.ts';
import { type Api, northbound, openApi, PASSWORD } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

interface Operation {
  operationId: string;
  parameters: { name: string }[];
  responses: Record<string, { content?: Record<string, { schema: { type?: string } }> }>;
}

/** One parent record for each operation that lists below it. */
async function places({ send, engine }: Api): Promise<Record<string, string>> {
  const node = await engine.nodes.create({ type: 'compute', name: 'n' });
  const { id: workflow } = await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: node.id });
  const { body: hook } = await send('POST', '/api/current/hooks', { body: { url: 'http://127.0.0.1:9/' } });
  const rules = [{ path: 'dmi.vendor', equals: 'none' }];
  const { body: sku } = await send('POST', '/api/current/skus', { body: { name: 's', rules } });
  const user = { username: 'eve', password: PASSWORD, role: 'ReadOnly' };
  await send('POST', '/api/current/users', { body: user });
  await engine.library.putGraph({ injectableName: 'Graph.Listed', friendlyName: 'Listed' });
  const { id: baseline } = await engine.baselines.create({ name: 'b', sku: sku.id, bios: { BootMode: 'Uefi' } });
  return {
    listHistory: workflow,
    listDrift: baseline,
    listRolloutTargets: EMPTY_ROLLOUT,
    listScheduleRuns: EMPTY_ROLLOUT,
    listRuleRuns: EMPTY_ROLLOUT,
    listGraphVersions: 'Graph.Listed',
    listDeliveries: hook.id,
    listSkuNodes: sku.id,
    listTokens: 'eve',
    '': node.id,
  };
}

/** Logs, which are read from a number on, and results of pollers, which are ten at most. */
const unpaged = ['listAudit', 'listPollerData', 'getPollerData'];

test('every operation that returns a list pages it with links, and rejects unknown parameters', async (t) => {
  const api = await openApi(t, open);
  const at = await places(api);
  const { paths } = (await api.send('GET', '/api/current/openapi.json')).body;
  const lists = Object.entries<{ get?: Operation }>(paths).filter(
    // A log is paged by the positions of its entries (`events.test.ts`).
    ([, { get }]) =>
      get?.responses['200']?.content?.['application/json']?.schema.type === 'array' &&
      !['listEvents', 'listConsoleLines'].includes(get.operationId),
  );
  t.true(lists.length > 15);
  for (const [path, { get }] of lists) {
    const id = get?.operationId ?? '';
    if (unpaged.includes(id)) continue;
    const place = path.replace(/\{\w+\}/, at[id] ?? at[''] ?? '');
    const { status, headers } = await api.send('GET', `${place}?$top=1&$skip=0`);
    t.is(status, 200, id);
    t.regex(headers.get('link') ?? '', /\$skip=0>; rel="first"/, id);
    t.regex(headers.get('x-total-count') ?? '', /^\d+$/, id);
    for (const query of ['$top=1001', 'sort=colour', 'colour=red', 'fields=colour', 'fields=']) {
      t.is((await api.send('GET', `${place}?${query}`)).status, 400, `${id} ${query}`);
    }
  }
});

test('records are found by their id in every list of records that have one', async (t) => {
  const { send, engine } = await openApi(t, open);
  const { id: node } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const made = async (method: string, path: string, ...bodies: object[]) => {
    const ids: string[] = [];
    for (const body of bodies) ids.push((await send(method, path, { body })).body.id);
    return ids;
  };
  const lists: [string, string[]][] = [
    ['/nodes', await made('POST', '/api/current/nodes', { type: 'rack', name: 'a' }, { type: 'rack', name: 'b' })],
    [
      '/catalogs',
      await made('POST', `/api/current/nodes/${node}/catalogs`, { source: 'a', data: {} }, { source: 'b', data: {} }),
    ],
    [
      '/lookups',
      await made(
        'POST',
        '/api/current/lookups',
        { macAddress: '00:00:00:00:00:0a' },
        { macAddress: '00:00:00:00:00:0b' },
      ),
    ],
    [
      '/obms',
      await made(
        'PUT',
        `/api/current/nodes/${node}/obm`,
        { service: 'noop-obm-service' },
        { service: 'ipmi-obm-service', config: { host: 'h', user: 'u', password: 'p' } },
      ),
    ],
    [
      '/hooks',
      await made('POST', '/api/current/hooks', { url: 'http://127.0.0.1:9/a' }, { url: 'http://127.0.0.1:9/b' }),
    ],
    ['/workflows', await made('POST', '/api/current/workflows', { name: 'Graph.Demo' }, { name: 'Graph.Demo' })],
  ];
  for (const [path, [, second]] of lists) {
    const { body } = await send('GET', `/api/current${path}?id=${second}`);
    t.deepEqual(
      body.map(({ id }: { id: string }) => id),
      [second],
      path,
    );
  }
});

test('relations and tags are paged too', async (t) => {
  const { send, engine } = await openApi(t, open);
  const [a, b, c] = [
    await engine.nodes.create({ type: 'rack', name: 'a', tags: ['x', 'y', 'z'] }),
    await engine.nodes.create({ type: 'compute', name: 'b' }),
    await engine.nodes.create({ type: 'pdu', name: 'c' }),
  ];
  await engine.nodes.relate(a.id, { contains: [b.id], poweredBy: [c.id] });
  const get = async (query: string) => (await send('GET', `/api/current/nodes/${a.id}/${query}`)).body;
  t.deepEqual(await get('tags?$skip=1&$top=1'), ['y']);
  t.deepEqual(await get('relations?relationType=poweredBy'), [{ relationType: 'poweredBy', targets: [c.id] }]);
  t.deepEqual(await get('relations?sort=-relationType&$top=1'), [{ relationType: 'poweredBy', targets: [c.id] }]);
  t.deepEqual(await get('relations'), (await engine.nodes.find(a.id))?.relations);
});

const WRITINGS = ['00:50:56:aa:bb:cc', '00:50:56:AA:BB:CC', '00-50-56-AA-BB-CC', '0050.56aa.bbcc', '005056AABBCC'];

for (const written of WRITINGS) {
  test(`a MAC that is sent as ${written} is stored in one form, and found in any form`, async (t) => {
    const { send } = await openApi(t, open);
    const { body: node } = await send('POST', '/api/current/nodes', { body: { type: 'compute', name: 'n' } });
    const body = { macAddress: written, ipAddress: '10.1.1.7', node: node.id };
    const made = await send('POST', '/api/current/lookups', { body });
    t.is(made.body.macAddress, '00:50:56:aa:bb:cc');
    for (const asked of WRITINGS) {
      for (const query of [`macAddress=${asked}`, `q=${asked}`]) {
        t.is((await send('GET', `/api/current/lookups?${query}`)).body[0]?.id, made.body.id, query);
      }
      t.is((await send('GET', `/api/current/nodes/${asked}`)).body.id, node.id);
      t.is((await send('POST', '/api/current/lookups', { body: { macAddress: asked } })).status, 400);
      const change = { body: { macAddress: asked } };
      t.is((await send('PATCH', `/api/current/lookups/${made.body.id}`, change)).body.macAddress, '00:50:56:aa:bb:cc');
    }
  });

  test(`a node with the name ${written} is found by that MAC, and no other node is`, async (t) => {
    const { send } = await openApi(t, open);
    const named = (name: string) => ({ body: { type: 'compute', name: 'n', identifiers: [name] } });
    const { body: node } = await send('POST', '/api/current/nodes', named(written));
    for (const asked of WRITINGS) {
      t.is((await send('GET', `/api/current/nodes/${asked}`)).body.id, node.id);
      t.is((await send('GET', `/api/current/nodes?identifiers=${asked}`)).body[0]?.id, node.id);
      t.is((await send('POST', '/api/current/nodes', named(asked))).status, 409);
      t.is((await send('PATCH', `/api/current/nodes/${node.id}`, { body: { identifiers: [asked] } })).status, 200);
    }
  });
}

test('fields= limits the records to these fields, and always shows the id; X-Total-Count counts all pages', async (t) => {
  const { send, engine } = await openApi(t, open);
  for (const name of ['a', 'b', 'c']) await engine.nodes.create({ type: 'compute', name });
  const { body, headers } = await send('GET', '/api/current/nodes?fields=name,tags&$top=2&sort=name');
  t.deepEqual(body.map(Object.keys), [
    ['id', 'name', 'tags'],
    ['id', 'name', 'tags'],
  ]);
  t.is(headers.get('x-total-count'), '3');
  const repeated = await send('GET', '/api/current/nodes?fields=name&fields=sku&$top=1');
  t.deepEqual(Object.keys(repeated.body[0]), ['id', 'name', 'sku']);
  const wrong = await send('GET', '/api/current/nodes?fields=name,colour');
  t.is(wrong.status, 400);
  t.is(wrong.body.errors[0].path, 'fields');
});
