import test from 'ava';
import { NodewrightError } from '../../../engine/define/errors.ts';
import { createEmbeddedStore } from '../../../engine/store/embedded.ts';
import { type Database, openDatabase } from '../../../engine/store/pglite.ts';
import { type CollectionSpec, type Document, DuplicateError, type Store } from '../../../engine/store/port.ts';
import { storeConformance } from '../../conformance/store.ts';

let db: Database;
let store: Store;
test.before(async () => {
  db = await openDatabase();
  store = createEmbeddedStore(db);
});
test.after.always(() => db.end());

storeConformance(test, () => store);

test('an index that is declared later serves the documents that were there, and one that is not any more goes', async (t) => {
  const own = await openDatabase();
  t.teardown(() => own.end());
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

test('what an index cannot hold is refused, naming the field, and nothing is written', async (t) => {
  const things = await store.collection<Document & Record<string, unknown>>({
    name: 'strict',
    indexes: { name: 'text', size: 'number', tags: 'texts' },
  });
  const wrong = [
    { name: 'a\0b' },
    { name: 'half \ud83d' },
    { name: 5 },
    { name: ['x'] },
    { size: '5' },
    { tags: 'x' },
    { tags: [1] },
    { name: 'x'.repeat(3_000) },
  ];
  for (const fields of wrong) {
    const error = await t.throwsAsync(() => things.insertMissing([{ id: 'fine' }, { id: 'a', ...fields }]), {
      instanceOf: NodewrightError,
      code: 'INVALID',
    });
    t.is((error as NodewrightError).faults?.[0]?.path, Object.keys(fields)[0]);
  }
  for (const id of ['', 'a\0b']) await t.throwsAsync(() => things.insert({ id }), { code: 'INVALID' });
  t.is(await things.count({}), 0);
  t.deepEqual(await things.find({ name: 'a\0b' }), []);
  t.is(await things.get('a\0b'), undefined);
});

test('an update may not change the id', async (t) => {
  const things = await store.collection({ name: 'fixed', indexes: {} });
  await things.insert({ id: 'a' });
  await t.throwsAsync(() => things.update({ id: 'a' }, { $set: { id: 'b' } }), { code: 'INVALID' });
  t.deepEqual(await things.find({}), [{ id: 'a' }]);
});
