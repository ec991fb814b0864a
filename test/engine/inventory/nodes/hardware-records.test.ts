/** The records of nodes have what their catalogs say of the machine, whatever happens to the process that wrote them. */
import test from 'ava';
import { type LatestCatalog, latestSpec } from '../../../../engine/inventory/nodes/catalogs.ts';
import { HardwareRecords } from '../../../../engine/inventory/nodes/hardware-records.ts';
import { nodeSpec, type StoredNode } from '../../../../engine/inventory/nodes/stored-node.ts';
import { localChannels } from '../../../../engine/platform/queue/channel.ts';
import type { Collection, Document, DocumentUpdate, Filter } from '../../../../engine/platform/store/port.ts';
import { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';
import { openSkuProcess } from '../../../support/engine/sku-process.ts';
import { openTestNodes } from '../../../support/engine/test-nodes.ts';
import { Hearing } from '../../../support/servers/hearing.ts';

const dmi = (model: string, serial?: string) => ({
  'System Information': {
    Manufacturer: 'Dell Inc.',
    'Product Name': model,
    ...(serial && { 'Serial Number': serial }),
  },
});

const process = (t: Scope, store = new MemoryStore(), everyMs?: number) =>
  openSkuProcess(t, {
    store,
    channel: localChannels(() => {}).channel('skus'),
    ...(everyMs !== undefined && { everyMs }),
  });

const described = ({ vendor, model, serial, bmcAddress }: Partial<StoredNode> = {}) => [
  vendor,
  model,
  serial,
  bmcAddress,
];

test('a node has what its newest catalogs say, and lists are filtered and sorted by it', async (t) => {
  const one = await process(t);
  const a = await one.node({ dmi: dmi('R640', 'A1'), bmc: { 'IP Address': '10.1.1.2' } });
  const b = await one.node({ dmi: dmi('R740', 'B1') });
  t.deepEqual(described(await one.nodes.find(a)), ['Dell Inc.', 'R640', 'A1', '10.1.1.2']);
  const page = (filter: Record<string, unknown>) => ({ skip: 0, limit: 10, filter });
  t.deepEqual(
    (await one.nodes.list(page({ serial: 'B1' }))).items.map(({ id }) => id),
    [b],
  );
  const { items } = await one.nodes.list({ ...page({}), sort: { model: -1 } });
  t.deepEqual(
    items.map(({ id }) => id),
    [b, a],
  );
  await one.catalogs.add(a, 'dmi', dmi('R650'));
  t.deepEqual(described(await one.nodes.find(a)), ['Dell Inc.', 'R650', undefined, '10.1.1.2']);
  t.false('describedBy' in ((await one.nodes.find(a)) ?? {}));
});

test('a fact that is cut within a character describes the node, and the catalogs after it too', async (t) => {
  const one = await process(t);
  const id = await one.node({ dmi: dmi(`${'R'.repeat(127)}\u{1f600}`, 'A\ud800') });
  t.deepEqual(described(await one.nodes.find(id)), ['Dell Inc.', `${'R'.repeat(127)}\ufffd`, 'A\ufffd', undefined]);
  await one.catalogs.add(id, 'dmi', dmi('R650', 'A1'));
  t.deepEqual(described(await one.nodes.find(id)), ['Dell Inc.', 'R650', 'A1', undefined]);
});

test('the hardware of a node names the catalogs that it is from, and a node without catalogs has none', async (t) => {
  const one = await process(t);
  const id = await one.node({ dmi: dmi('R640'), smart: { sda: { model_name: 'PM883' } }, custom: { free: 'form' } });
  const hardware = await one.hardware.of(id);
  t.like(hardware, { model: 'R640', drives: [{ name: 'sda', model: 'PM883' }] });
  t.deepEqual(hardware.catalogs.map(({ source }) => source).sort(), ['dmi', 'smart']);
  t.deepEqual((await one.hardware.of(await one.node())).catalogs, []);
});

test('a node that cannot be described is tried again by later passes, which describe the others', async (t) => {
  const store = new MemoryStore();
  const dead = await openTestNodes({ store, outbox: { publish: async () => {} }, failed: t.fail });
  const ids: string[] = [];
  for (const model of ['R640', 'R740', 'R840']) {
    const { id } = await dead.nodes.create({ type: 'compute', name: model });
    await dead.catalogs.add(id, 'dmi', dmi(model));
    ids.push(id);
  }
  const poison = ids[1];
  let attempts = 0;
  const tries = new Hearing<number>();
  const one = await openSkuProcess(t, {
    store,
    channel: localChannels(() => {}).channel('skus'),
    everyMs: 10,
    beforeDescription(catalogs) {
      if (!catalogs.some(({ node }) => node === poison)) return;
      if (catalogs.length === 1) {
        attempts += 1;
        tries.add(attempts);
      }
      throw new NodewrightError('INVALID', 'its serial number is in no index');
    },
  });
  await tries.until(() => attempts >= 2);
  t.deepEqual(await Promise.all(ids.map(async (id) => (await one.nodes.find(id))?.model)), ['R640', undefined, 'R840']);
  t.deepEqual(
    (await one.catalogs.unprocessedCatalogs(10)).map(({ node }) => node),
    [poison],
  );
  t.true(one.errors.every((error) => error instanceof NodewrightError && error.code === 'INVALID'));
});

test('a process that dies before it describes the node leaves that to the next pass of another', async (t) => {
  const store = new MemoryStore();
  // Nothing follows the write of the catalog, as if the process had died.
  const dead = await openTestNodes({ store, outbox: { publish: async () => {} }, failed: t.fail });
  const { id } = await dead.nodes.create({ type: 'compute', name: 'n' });
  await dead.catalogs.add(id, 'dmi', dmi('R640'));
  t.is((await dead.nodes.find(id))?.model, undefined);
  const other = await process(t, store, 10);
  const deadline = Date.now() + 60_000;
  while ((await other.nodes.find(id))?.model === undefined && Date.now() < deadline)
    await new Promise((resolve) => setImmediate(resolve));
  t.is((await other.nodes.find(id))?.model, 'R640');
});

test('a process that read before a newer catalog does not overwrite what that one says', async (t) => {
  const store = new MemoryStore();
  const one = await process(t, store);
  const id = await one.node({ dmi: dmi('R640') });
  const [nodes, latest] = [
    await store.collection<StoredNode>(nodeSpec),
    await store.collection<LatestCatalog>(latestSpec),
  ];
  const before = { nodes: await nodes.find({}), latest: await latest.find({}) };
  await one.catalogs.add(id, 'dmi', dmi('R650'));
  // The first answer is what it read before.
  const late = <T extends object>(collection: Collection<T & Document>, old: T[]) => ({
    find: async (filter: Filter) => (old.length > 0 ? old.splice(0) : await collection.find(filter)) as never,
    updateEach: (changes: readonly DocumentUpdate[]) => collection.updateEach(changes),
  });
  const stale = new HardwareRecords(
    late<StoredNode>(
      nodes,
      before.nodes.map((node) => ({ ...node, describedBy: 0 })),
    ),
    late<LatestCatalog>(latest, before.latest),
  );
  await stale.describe([{ node: id, source: 'dmi' }]);
  t.is((await one.nodes.find(id))?.model, 'R650');
});
