import test from 'ava';
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { type CollectionSpec, type Document, DuplicateError } from '../../../engine/store/port.ts';
import { storeConformance } from '../../conformance/store.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { embeddedStore } from '../../support/stores.ts';

storeConformance(test, embeddedStore(test));

test('an index that is declared later covers existing documents, and an index that is no longer declared is dropped', async (t) => {
  const own = await openOwnDatabase(t);
  const open = (indexes: CollectionSpec['indexes'], unique: string[] = []) =>
    createEmbeddedStore(own).collection<Document & { name: string; tags?: string[] }>({ name: 'old', indexes, unique });
  const before = await open({ name: 'text' });
  const many = Array.from({ length: 1_200 }, (_, n) => ({ id: `n${n}`, name: `name ${n}`, tags: [`t${n % 2}`] }));
  await before.insertMissing(many);
  const after = await open({ tags: 'texts' }, ['name']);
  t.is(await after.count({ tags: 't1' }), 600);
  t.is(await after.count({ name: 'name 7' }), 1);
  await t.throwsAsync(() => after.insert({ id: 'new', name: 'name 7' }), { instanceOf: DuplicateError });
  const again = await open({ name: 'text' });
  await t.notThrowsAsync(() => again.insert({ id: 'new', name: 'name 7' }));
});
