/** Catalogs as tools print them and as clients of RackHD read them; the ids of a node's catalogs and workflows. */
import test from 'ava';
import { openEngine } from '../support/engine/engine.ts';
import { northbound, serve, southbound } from '../support/servers/api.ts';

const open = { ...northbound, authEnabled: false };

test('the data of a catalog may be any JSON but null, and is returned unchanged', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const { send } = await serve(t, open, daemon.engine);
  const south = await serve(t, southbound, daemon.engine);
  const { id } = await daemon.node();
  const path = `/api/current/nodes/${id}/catalogs`;
  const kinds = { list: [{ devName: 'sda' }], text: 'Fabric OS: v7.4', number: 3, truth: false, object: { a: [null] } };
  for (const [source, data] of Object.entries(kinds)) {
    for (const one of [send, south.send]) {
      const made = await one('POST', path, { body: { source, data } });
      t.is(made.status, 201, source);
      t.deepEqual(made.body.data, data);
    }
    t.deepEqual((await send('GET', `${path}/${source}`)).body.data, data);
  }
  for (const body of [{ source: 'none', data: null }, { source: 'none' }]) {
    t.is((await send('POST', path, { body })).status, 400);
  }
});

test('secrets in catalogs are stored encrypted, and shown as REDACTED', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const { send } = await serve(t, open, daemon.engine);
  const { id } = await daemon.node();
  const body = {
    source: 'bmc',
    data: { users: [{ name: 'root', password: 'calvin-zq' }], url: 'http://u:calvin-zq@10.1.1.1/', ip: '10.1.1.2' },
  };
  const made = await send('POST', `/api/current/nodes/${id}/catalogs`, { body });
  t.like(made.body.data, { users: [{ name: 'root', password: 'REDACTED' }], ip: '10.1.1.2' });
  const stored = JSON.stringify(await daemon.engine.catalogs.get(made.body.id));
  t.false(stored.includes('calvin-zq'));
  t.is(stored.match(/nwsealed/g)?.length, 2);
  t.deepEqual((await send('GET', `/api/current/catalogs/${made.body.id}`)).body.data, made.body.data);
});

test('rules of SKUs read catalogs that are lists and texts', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const { send } = await serve(t, open, daemon.engine);
  const { id } = await daemon.node();
  await daemon.engine.catalogs.add(id, 'version', 'Fabric OS: v7.4.1');
  await daemon.engine.catalogs.add(id, 'driveId', [{ devName: 'sda' }, { devName: 'sdb' }]);
  const matched = async (rule: object) =>
    (await send('POST', '/api/current/skus/match', { body: { nodeId: id, rules: [rule] } })).body.matched;
  t.true(await matched({ path: 'version', contains: 'v7.4' }));
  t.false(await matched({ path: 'version', contains: 'v8' }));
  t.true(await matched({ path: 'driveId.1.devName', equals: 'sdb' }));
});

test('all catalogs are listed including replaced ones, the newest first; a node lists its latest', async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const { send } = await serve(t, open, daemon.engine);
  const { id } = await daemon.node();
  const made: string[] = [];
  for (const n of [1, 2, 3]) made.unshift((await daemon.engine.catalogs.add(id, 'dmi', { n })).id);
  const ids = async (path: string) => (await send('GET', path)).body.map((one: { id: string }) => one.id);
  t.deepEqual(await ids('/api/current/catalogs'), made);
  t.deepEqual(await ids(`/api/current/catalogs?id=${made[2]}`), [made[2]]);
  t.deepEqual(await ids(`/api/current/catalogs?node=${id}&source=dmi&$top=2`), made.slice(0, 2));
  t.deepEqual(await ids(`/api/current/nodes/${id}/catalogs`), made.slice(0, 1));
});

test("a node's record names its latest catalogs and its workflows, alone and in lists", async (t) => {
  const daemon = await openEngine();
  t.teardown(() => daemon.close());
  const { send } = await serve(t, open, daemon.engine);
  const [node, other] = [await daemon.node(), await daemon.node()];
  await daemon.engine.catalogs.add(node.id, 'dmi', { n: 1 });
  const dmi = await daemon.engine.catalogs.add(node.id, 'dmi', { n: 2 });
  const bmc = await daemon.engine.catalogs.add(node.id, 'bmc', { n: 1 });
  const workflows: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { id } = await daemon.launch('Graph.noop-example', {}, node.id);
    await daemon.finished(id);
    workflows.unshift(id);
  }
  const named = { catalogs: [bmc.id, dmi.id], workflows };
  t.like((await send('GET', `/api/current/nodes/${node.id}`)).body, named);
  const list = (await send('GET', '/api/current/nodes?sort=createdAt')).body;
  t.like(list[0], named);
  t.like(list[1], { id: other.id, catalogs: [], workflows: [] });
});
