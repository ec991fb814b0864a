import test from 'ava';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { type CollectionSpec, type Document, DuplicateError } from '../../../../engine/platform/store/port.ts';
import { storeConformance } from '../../../conformance/store.ts';
import { folder } from '../../../support/ava/folder.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

storeConformance(test, embeddedStore(test));

test('an index that is declared later covers existing documents, and an index that is no longer declared is dropped', async (t) => {
  const dataDir = folder(t);
  const reopened = async (indexes: CollectionSpec['indexes'], unique: string[] = []) => {
    const store = await openEmbeddedStore({ dataDir });
    const spec = { name: 'old', indexes, unique };
    return { store, old: await store.collection<Document & { name: string; tags?: string[] }>(spec) };
  };
  const before = await reopened({ name: 'text' });
  const many = Array.from({ length: 1_200 }, (_, n) => ({ id: `n${n}`, name: `name ${n}`, tags: [`t${n % 2}`] }));
  await before.old.insertMissing(many);
  await before.store.close();
  const after = await reopened({ tags: 'texts' }, ['name']);
  t.is(await after.old.count({ tags: 't1' }), 600);
  t.is(await after.old.count({ name: 'name 7' }), 1);
  await t.throwsAsync(() => after.old.insert({ id: 'new', name: 'name 7' }), { instanceOf: DuplicateError });
  await after.store.close();
  const again = await reopened({ name: 'text' });
  await t.notThrowsAsync(() => again.old.insert({ id: 'new', name: 'name 7', tags: ['t1'] }));
  await again.store.close();
});
