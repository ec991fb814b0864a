/** Retention of catalogs: older ones than the latest of their source are removed after their time. */
import test from 'ava';
import {
  CatalogRequests,
  catalogSpec,
  type LatestCatalog,
  latestSpec,
  type StoredCatalog,
} from '../../../../engine/inventory/nodes/catalogs.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

const OLD = '2020-01-01T00:00:00.000Z';
const BEFORE = '2021-01-01T00:00:00.000Z';

async function open() {
  const store = new MemoryStore();
  const stored = await store.collection<StoredCatalog>(catalogSpec);
  const latest = await store.collection<LatestCatalog>(latestSpec);
  const known = async (ids: readonly string[]) => new Set(ids);
  const quota = { catalogSources: 1_000, catalogBytes: 75 };
  const catalogs = new CatalogRequests(stored, latest, known, async () => {}, quota);
  const add = async (node: string, source: string, age?: string) => {
    const { id } = await catalogs.add(node, source, { a: 'text' });
    if (age !== undefined) await stored.update({ id }, { $set: { createdAt: age } });
    return id;
  };
  return { catalogs, latest, add, kept: async () => (await stored.find({})).map(({ id }) => id).sort() };
}

test('the latest of each source stays, however old it is, and so do the others until their time', async (t) => {
  const { catalogs, add, kept } = await open();
  await add('n', 'dmi', OLD);
  const stays = [await add('n', 'dmi'), await add('n', 'dmi'), await add('n', 'lshw', OLD)];
  for (let node = 0; node < 250; node++) {
    await add(`m${node}`, 'dmi', OLD);
    stays.push(await add(`m${node}`, 'dmi', OLD));
  }
  await catalogs.removeBefore(BEFORE, async () => true);
  t.deepEqual(await kept(), stays.toSorted());
  t.deepEqual((await catalogs.latestOf('n', 'lshw'))?.data, { a: 'text' });
});

test('a process that is no longer the one to do it stops', async (t) => {
  const { catalogs, add, kept } = await open();
  const all = [await add('n', 'dmi', OLD), await add('n', 'dmi', OLD)];
  await catalogs.removeBefore(BEFORE, async () => false);
  t.deepEqual(await kept(), all.toSorted());
});

test('removed catalogs leave their room in the quota of the node', async (t) => {
  const { catalogs, latest, add } = await open();
  for (let n = 0; n < 7; n++) await add('n', 'dmi', OLD);
  await t.throwsAsync(catalogs.add('n', 'dmi', { a: 'text' }, 'address'), { code: 'TOO_LARGE' });
  await catalogs.removeBefore(BEFORE, async () => true);
  t.is((await latest.get('n dmi'))?.sizes?.length, 1);
  await t.notThrowsAsync(catalogs.add('n', 'dmi', { a: 'text' }, 'address'));
});

test('a running engine removes them after their time', async (t) => {
  const it = await openEngine({ catalogRetentionDays: 2 / 86_400 });
  t.teardown(() => it.close());
  const { id } = await it.node();
  const first = await it.engine.catalogs.add(id, 'dmi', { n: 1 });
  const last = await it.engine.catalogs.add(id, 'dmi', { n: 2 });
  await it.until(async () => (await it.engine.catalogs.get(first.id)) === undefined);
  t.deepEqual((await it.engine.catalogs.get(last.id))?.data, { n: 2 });
});
