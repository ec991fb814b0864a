import test from 'ava';
import { readerBy } from '../../../../engine/platform/store/pages.ts';
import type { Filter, FindOptions } from '../../../../engine/platform/store/port.ts';
import { fresh, ids, type Thing, thing } from '../../../conformance/things.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

const store = embeddedStore(test);

/** A collection that counts its reads. */
async function counted(all: readonly Thing[]) {
  const things = await fresh(store());
  await things.insertMissing(all);
  let count = 0;
  const find = (filter: Filter, options?: FindOptions) => {
    count += 1;
    return things.find(filter, options);
  };
  return { collection: { find }, reads: () => count };
}

test('reads of several values at the same time are one, and each has the documents of its value in order', async (t) => {
  const all = Array.from({ length: 30 }, (_, n) => thing(`t${n}`, { name: `name ${n % 3}`, size: -n, on: n < 15 }));
  const { collection, reads } = await counted(all);
  const read = readerBy(collection, 'name', { on: true }, { sort: { size: 1 }, limit: 4 });
  const found = await Promise.all(['name 2', 'name 0', 'name 2', 'none'].map(read));
  t.deepEqual(found.map(ids), [['t14', 't11', 't8', 't5'], ['t12', 't9', 't6', 't3'], ['t14', 't11', 't8', 't5'], []]);
  t.is(reads(), 1);
});

test('a value with more documents than one read returns hides none of the others', async (t) => {
  const many = Array.from({ length: 1_000 }, (_, n) => thing(`a${n}`, { name: 'many' }));
  const { collection } = await counted([...many, thing('z', { name: 'few' })]);
  const read = readerBy(collection, 'name');
  const [all, few] = await Promise.all(['many', 'few'].map(read));
  t.is(all?.length, 1_000);
  t.deepEqual(ids(few ?? []), ['z']);
});
