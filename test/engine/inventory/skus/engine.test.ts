/** SKUs in the whole engine, as clients and listeners see them. */
import test from 'ava';
import { openEngine, type TestEngine } from '../../../support/engine/engine.ts';
import { fieldCatalogs, fieldSkus } from '../../../support/engine/skus.ts';
import { heir, Victim } from '../../../support/faults/victim.ts';

const everything = { skip: 0, limit: 1_000, filter: {} };

const metric = async (it: TestEngine, name: string): Promise<number> => {
  const line = (await it.engine.metrics()).split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length));
};

test.serial('realistic SKUs are assigned to their nodes, both to nodes known before and after them', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const nodeOf = async (name: string) => {
    const { id } = await it.node();
    for (const [source, data] of Object.entries(fieldCatalogs.get(name) ?? {})) {
      await it.engine.catalogs.add(id, source, data);
    }
    return id;
  };
  const skuOf = async (id: string) => (await it.engine.nodes.find(id))?.sku;
  const early = new Map<string, string>();
  for (const name of fieldSkus.keys()) early.set(name, await nodeOf(name));
  const skus = new Map<string, string>();
  for (const [name, sku] of fieldSkus) skus.set(name, (await it.engine.skus.create(sku)).id);
  for (const [name, id] of skus) {
    await it.until(async () => (await skuOf(early.get(name) ?? '')) === id);
    t.is(await skuOf(await nodeOf(name)), id, name);
  }
  await it.until(async () => (await metric(it, 'nodewright_sku_generation_done')) === 6);
  t.is(await metric(it, 'nodewright_sku_generation'), 6);
  t.is(await metric(it, 'nodewright_sku_moves_total{action="assigned"}'), 6);
  t.true((await metric(it, 'nodewright_sku_regeneration_nodes')) >= 3);
  const assigned = it.events.filter(({ key }) => key.startsWith('node.sku.assigned.information.'));
  t.is(new Set(assigned.map(({ id }) => id)).size, 6);
  const progress = it.events.filter(({ key }) => key.startsWith('node.skus.progress.updated.information.'));
  t.like(progress.at(-1)?.body, { type: 'node', nodeId: null });
});

test.serial(
  "a workflow on a node reads the fields of the node's SKU, and is rejected if the node has no SKU",
  async (t) => {
    const it = await openEngine();
    t.teardown(() => it.close());
    const write = { ledger: it.path('ledger'), line: '{{ sku.name }} {{ sku.discoveryGraphOptions.speed }}' };
    await it.engine.library.putGraph({
      friendlyName: 'Sku',
      injectableName: 'Graph.Test.Sku',
      tasks: [{ label: 'write', taskName: 'Task.Fixture.Write', optionOverrides: write }],
    });
    const { id } = await it.node();
    await t.throwsAsync(() => it.launch('Graph.Test.Sku', {}, id), { code: 'INVALID_OPTIONS' });
    await it.engine.skus.create({
      name: 'fast',
      rules: [{ path: 'dmi.kind', equals: 'fast' }],
      discoveryGraphOptions: { speed: 9 },
    });
    await it.engine.catalogs.add(id, 'dmi', { kind: 'fast' });
    t.is((await it.finished((await it.launch('Graph.Test.Sku', {}, id)).id)).status, 'succeeded');
    t.deepEqual(await it.lines('ledger'), ['fast 9']);
  },
);

test.serial('templates in the options of a SKU are rendered where its graph runs', async (t) => {
  const it = await openEngine();
  t.teardown(() => it.close());
  const put = (injectableName: string, task: object) =>
    it.engine.library.putGraph({ friendlyName: 'Sku', injectableName, tasks: [{ label: 'it', ...task }] });
  await put('Graph.Test.Discover', { taskName: 'Task.Graph.RunSku' });
  await put('Graph.Test.OfSku', { taskName: 'Task.Fixture.Write', optionOverrides: { ledger: it.path('ledger') } });
  const { id } = await it.node();
  await it.engine.catalogs.add(id, 'dmi', { kind: 'fast' });
  await it.engine.skus.create({
    name: 'fast',
    rules: [{ path: 'dmi.kind', equals: 'fast' }],
    discoveryGraphName: 'Graph.Test.OfSku',
    discoveryGraphOptions: { it: { line: '{{ sku.name }} {{ task.nodeId }}' } },
  });
  t.is((await it.finished((await it.launch('Graph.Test.Discover', {}, id)).id)).status, 'succeeded');
  t.deepEqual(await it.lines('ledger'), [`fast ${id}`]);
});

test.serial('every node has its SKU after kill -9 in the middle of a regeneration', async (t) => {
  const victim = await Victim.start();
  const count = 150;
  await victim.ask({ nodes: { count, source: 'dmi', data: { kind: 'a' } } });
  const { id } = await victim.ask({ sku: { name: 'a', rules: [{ path: 'dmi.kind', equals: 'a' }] } });
  await victim.kill();
  const it = await heir(t, victim);
  const on = async () => (await it.engine.nodes.list({ ...everything, filter: { sku: id } })).total;
  await it.until(async () => (await on()) === count);
  await it.until(async () => (await metric(it, 'nodewright_sku_generation_done')) === 2);
  const moved = it.events.filter(({ key }) => key.startsWith('node.sku.'));
  t.deepEqual([...new Set(moved.map(({ key }) => key.split('.')[2]))], ['assigned']);
});
