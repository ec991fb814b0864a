/** A dependent is created at the very moment of a removal: between the check of the node and the write. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { fakeEngine } from '../../../support/engine/fake-engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const MAC = '00:00:00:00:00:01';

type Hang = (engine: Awaited<ReturnType<typeof fakeEngine>>, node: string, other: string) => Promise<unknown>;

const hangs: [what: string, collection: string, Hang][] = [
  ['a catalog', 'catalogs', ({ catalogs }, node) => catalogs.add(node, 'dmi', {})],
  ['an obm', 'obms', ({ obms }, node) => obms.put(node, { service: 'noop-obm-service' })],
  ['a lookup', 'lookups', ({ lookups }, node) => lookups.create({ macAddress: MAC, node })],
  ['its relation', 'relations', ({ nodes }, node, other) => nodes.relate(node, { contains: [other] })],
  ["another's relation to it", 'relations', ({ nodes }, node, other) => nodes.relate(other, { contains: [node] })],
];

for (const [what, collection, hang] of hangs) {
  test(`${what} of a node that is removed in the meantime is rejected, and leaves nothing`, async (t) => {
    const store = new MemoryStore();
    const engine = await fakeEngine({}, store);
    const { id: node } = await engine.nodes.create({ type: 'compute', name: 'n' });
    const { id: other } = await engine.nodes.create({ type: 'compute', name: 'o' });
    const stored = await store.collection({ name: collection, indexes: {} });
    for (const write of ['insert', 'insertMissing'] as const) {
      const plain = stored[write].bind(stored) as (documents: never) => Promise<never>;
      stored[write] = (async (documents: never) => {
        await engine.nodes.remove(node);
        return plain(documents);
      }) as never;
    }
    await t.throwsAsync(hang(engine, node, other), { code: 'NOT_FOUND' });
    for (const name of ['catalogs', 'latestcatalogs', 'obms', 'lookups', 'relations']) {
      t.deepEqual(await (await store.collection({ name, indexes: {} })).find({}), [], name);
    }
    t.deepEqual((await engine.nodes.find(other))?.relations, []);
  });
}

test('a lookup that is assigned to a node during its removal is removed with it', async (t) => {
  const store = new MemoryStore();
  const engine = await fakeEngine({}, store);
  const { id: node } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const lookup = await engine.lookups.create({ macAddress: MAC });
  const stored = await store.collection<{ id: string }>({ name: 'lookups', indexes: {} });
  const plain = stored.update.bind(stored);
  stored.update = async (filter, update) => {
    await engine.nodes.remove(node);
    return plain(filter, update);
  };
  await t.throwsAsync(engine.lookups.update(lookup.id, { node }), { code: 'NOT_FOUND' });
  t.is(await engine.lookups.get(lookup.id), undefined);
});

test('a dependent that is created between the two reads of a removal is removed too', async (t) => {
  const store = new MemoryStore();
  const engine = await fakeEngine({}, store);
  const { id: node } = await engine.nodes.create({ type: 'compute', name: 'n' });
  const stored = await store.collection<{ id: string }>({ name: 'nodes', indexes: {} });
  const plain = stored.remove.bind(stored);
  stored.remove = async (filter) => {
    // After its dependents were removed, and before the node is removed.
    await engine.catalogs.add(node, 'dmi', {});
    await engine.lookups.create({ macAddress: MAC, node });
    return plain(filter);
  };
  t.true(await engine.nodes.remove(node));
  t.is((await engine.catalogs.latestOfSources({ skip: 0, limit: 1, filter: {} })).total, 0);
  t.is((await engine.lookups.list({ skip: 0, limit: 1, filter: {} })).total, 0);
  await t.throwsAsync(engine.catalogs.add(randomUUID(), 'dmi', {}), { code: 'NOT_FOUND' });
});
