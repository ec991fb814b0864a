/** The filters of lists: the values that match, and the values that a field cannot have. */
import test from 'ava';
import fc from 'fast-check';
import { northboundRoutes as routesOf } from '../../api/endpoint/northbound.ts';
import { pathsOf } from '../../api/http/route.ts';
import { filterOf, splitFilters, texts } from '../../engine/api-port/list-filter.ts';
import { codePoint } from '../support/data/code-point.ts';
import { northbound, openApi } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };
const routes = routesOf({} as Parameters<typeof routesOf>[0]);
const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name).sort();

test('a filter matches any of its values, a text with a comma also as a whole', async (t) => {
  const { send } = await openApi(t, open);
  for (const [name, type] of [
    ['rack 1, slot 2', 'compute'],
    ['rack 1', 'rack'],
    ['slot 2', 'switch'],
  ]) {
    await send('POST', '/api/current/nodes', { body: { name, type } });
  }
  const named = async (query: string) => names(await send('GET', `/api/current/nodes?${query}`));
  t.deepEqual(await named('type=rack,switch'), ['rack 1', 'slot 2']);
  t.deepEqual(await named('name=rack%201,%20slot%202'), ['rack 1', 'rack 1, slot 2']);
  t.deepEqual(await named('name.prefix=rack'), ['rack 1', 'rack 1, slot 2']);
  t.deepEqual(await named('name.prefix=rack&type=rack'), ['rack 1']);
});

test('a repeated parameter is rejected once, by its name, and the message says how to give several values', async (t) => {
  const { send } = await openApi(t, open);
  const once = 'is repeated; give it once';
  const separated = `${once}, with its values separated by commas`;
  for (const [query, path, message] of [
    ['name=a&name=b', 'name', separated],
    ['type=rack&type=no', 'type', separated],
    ['name.prefix=a&name.prefix=b', 'name.prefix', once],
    ['createdAt.gte=2026-01-01&createdAt.gte=x', 'createdAt.gte', once],
    ['$top=1&$top=2', '$top', once],
  ] as const) {
    const { status, body } = await send('GET', `/api/current/nodes?${query}`);
    t.is(status, 400, query);
    t.deepEqual(body.errors, [{ path, message }]);
  }
  const events = await send('GET', '/api/current/events?type=graph&type=node&limit=x');
  t.deepEqual(events.body.errors, [
    { path: 'type', message: separated },
    { path: 'limit', message: 'must be integer' },
  ]);
});

test('null matches records without a value, and is an ordinary text where a value is never missing', async (t) => {
  const { send, engine } = await openApi(t, open);
  const { id } = await engine.nodes.create({ type: 'compute', name: 'null' });
  const { id: workflow } = await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: id });
  await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: null });
  const ids = async (path: string) =>
    (await send('GET', `/api/current${path}`)).body.map((one: { id: string }) => one.id);
  t.deepEqual(await ids('/nodes?sku=null'), [id]);
  t.deepEqual(await ids(`/nodes?sku=null,${id}`), [id]);
  t.deepEqual(await ids('/nodes?name=null'), [id]);
  t.false((await ids('/workflows?node=null')).includes(workflow));
  t.is((await ids(`/workflows?node=null,${id}`)).length, 2);
});

test('times are compared as times, in any notation', async (t) => {
  const { send, engine } = await openApi(t, open);
  const { id, createdAt } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const elsewhere = encodeURIComponent(createdAt.replace('Z', '+00:00'));
  const found = async (query: string) => (await send('GET', `/api/current/nodes?${query}`)).body.length;
  t.is(await found(`createdAt=${elsewhere}`), 1, id);
  t.is(await found(`createdAt.gte=${createdAt}&createdAt.lte=${createdAt}`), 1);
  t.is(await found(`createdAt.gt=${createdAt}`), 0);
  t.is(await found(`createdAt.lt=${createdAt}`), 0);
  t.is(await found(`createdAt.gte=2020-01-01&createdAt.lt=${createdAt.slice(0, 10)}`), 0);
  t.is(await found('createdAt.gte=2020-01-01'), 1);
});

test('two names of one field both apply', async (t) => {
  const { send, engine } = await openApi(t, open);
  const [{ id }, { id: other }] = [
    await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: null }),
    await engine.launches.launch({ name: 'Graph.Demo', options: {}, nodeId: null }),
  ];
  t.is((await send('GET', `/api/current/workflows?id=${id}&instanceId=${id}`)).body.length, 1);
  t.is((await send('GET', `/api/current/workflows?id=${id}&instanceId=${other}`)).body.length, 0);
});

test('a value that a field cannot have is rejected in every list, with the name of the parameter', async (t) => {
  const { send, engine } = await openApi(t, open);
  const node = await engine.nodes.create({ type: 'compute', name: 'n' });
  let rejected = 0;
  for (const route of routes.filter(({ list }) => list !== undefined)) {
    const path = pathsOf(route)[0]?.replace(/:\w+/, node.id);
    for (const [name, { kind, nullable }] of Object.entries(route.list ?? {})) {
      if (kind === 'text' || kind === 'texts') continue;
      const wrong = ['bogus', 'true,bogus', '', ...(nullable ? [] : ['null']), '[]', '{}'];
      for (const value of kind === 'time' ? [...wrong, '2026-13-01', '12'] : wrong) {
        const { status, body } = await send(route.method, `${path}?${name}=${encodeURIComponent(value)}`);
        t.is(status, 400, `${route.id} ${name}=${value}`);
        t.is(body.errors?.[0]?.path, name, `${route.id} ${name}=${value}`);
        rejected += 1;
      }
      if (kind === 'time') t.is((await send(route.method, `${path}?${name}.gte=bogus`)).status, 400, route.id);
    }
  }
  t.true(rejected > 100);
});

test('a parameter with the name of a property of every object is unknown, like any other', async (t) => {
  const { send, engine } = await openApi(t, open);
  const node = await engine.nodes.create({ type: 'compute', name: 'n' });
  for (const route of routes.filter(({ list, method }) => list !== undefined && method === 'GET')) {
    const path = pathsOf(route)[0]?.replace(/:\w+/, node.id);
    for (const name of ['__proto__', 'constructor', 'toString', '__proto__.gte', 'constructor.prefix', '$where']) {
      t.is((await send('GET', `${path}?${name}=1`)).status, 400, `${route.id} ${name}`);
    }
  }
});

/** Whether a store matches the text: it compares characters by their code points, as UTF-8 bytes do, not UTF-16 units. */
function inRange(filter: unknown, text: string): boolean {
  const order = (limit: unknown) => Buffer.compare(Buffer.from(text), Buffer.from(String(limit)));
  return Object.entries(filter as object).every(([key, value]) => {
    if (key === '$gte') return order(value) >= 0;
    if (key === '$lt') return order(value) < 0;
    return typeof value === 'object' && inRange(value, text);
  });
}

test('a prefix matches values that begin with it, and no others', (t) => {
  const fields = texts('name');
  const unit = fc.oneof(codePoint, fc.constantFrom('\u{10ffff}', '\uffff', '\ue000', '\ud7ff', '\u0000'));
  const text = fc.string({ unit, minLength: 1, maxLength: 4 });
  const property = fc.property(text, text, (prefix, name) => {
    const filter = filterOf(splitFilters({ 'name.prefix': prefix }, fields), fields);
    t.is(inRange(filter, name), name.startsWith(prefix));
    t.true(inRange(filter, prefix + name));
  });
  fc.assert(property, { numRuns: 1_000 });
});
