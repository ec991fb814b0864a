/** Rules of every store for changes of parts of documents. */
import { DuplicateError, type Store } from '../../engine/platform/store/port.ts';
import { type Declare, filled, ids, thing, whole } from './things.ts';

const MANY = 300;

export function storeUpdateConformance(test: Declare, open: () => Store): void {
  test('update changes the first match and gives it as it is afterwards', async (t) => {
    const things = await filled(
      open(),
      thing('b', { size: 1, tags: ['x'] }),
      thing('a', { size: 1, tags: ['x', 'y'] }),
    );
    const changed = await things.update(
      { size: 1 },
      { $set: { 'deep.key': 'k' }, $inc: { version: 1, size: 2 }, $addToSet: { tags: 'z' }, $unset: { name: '' } },
    );
    t.deepEqual(changed, { id: 'a', version: 2, size: 3, tags: ['x', 'y', 'z'], deep: { key: 'k' } });
    t.deepEqual(await things.get('a'), changed);
    t.deepEqual(ids(await things.find({ 'deep.key': 'k', tags: 'z' })), ['a']);
    t.deepEqual((await things.update({ id: 'a' }, { $pull: { tags: 'x' }, $push: { free: 1 } }))?.tags, ['y', 'z']);
    t.is(await things.update({ id: 'missing' }, { $set: { size: 0 } }), undefined);
  });

  test('updates of one document at the same time all count', async (t) => {
    const things = await filled(open(), thing('a', { size: 0 }));
    await Promise.all(Array.from({ length: 50 }, () => things.update({ id: 'a' }, { $inc: { size: 1 } })));
    t.is((await things.get('a'))?.size, 50);
  });

  test('an update may not change the id', async (t) => {
    const things = await filled(open(), thing('a'));
    await t.throwsAsync(() => things.update({ id: 'a' }, { $set: { id: 'b' } }), { code: 'INVALID' });
    t.deepEqual(await things.find({}), [thing('a')]);
  });

  test('updateEach changes the documents that meet their conditions, and returns how many', async (t) => {
    const things = await filled(open(), thing('a', { size: 1, tags: ['x'] }), thing('b', { size: 1 }), thing('c'));
    const changes = [
      { id: 'a', filter: { size: 1 }, update: { $set: { 'deep.key': 'k' }, $addToSet: { tags: 'y' } } },
      { id: 'b', filter: { size: 2 }, update: { $set: { name: 'changed' } } },
      { id: 'b', filter: { 'deep.key': { $exists: true } }, update: { $set: { name: 'changed' } } },
      { id: 'c', update: { $inc: { version: 1, size: 3 } } },
      { id: 'missing', update: { $set: { name: 'changed' } } },
    ];
    t.is(await things.updateEach(changes), 2);
    t.deepEqual(await things.find({}), [
      thing('a', { size: 1, tags: ['x', 'y'], deep: { key: 'k' } }),
      thing('b', { size: 1 }),
      { ...thing('c', { size: 3 }), version: 2 },
    ]);
    t.deepEqual(ids(await things.find({ 'deep.key': 'k', tags: 'y' })), ['a']);
    t.is(await things.updateEach([]), 0);
  });

  test('updateEach makes the changes of one document in their order', async (t) => {
    const things = await filled(open(), thing('a', { size: 0 }));
    const next = (size: number) => ({ id: 'a', filter: { size }, update: { $inc: { size: 1 } } });
    t.is(await things.updateEach([next(0), next(1), next(0), next(2)]), 3);
    t.is((await things.get('a'))?.size, 3);
  });

  test('of concurrent pages of compare-and-set, each document is changed by one', async (t) => {
    const all = Array.from({ length: MANY }, (_, n) => thing(`d${n}`, { size: 0 }));
    const things = await filled(open(), ...all);
    const page = () =>
      things.updateEach(all.map(({ id }) => ({ id, filter: { size: 0 }, update: { $inc: { size: 1 } } })));
    const counts = await Promise.all([page(), page(), page()]);
    t.is(
      counts.reduce((sum, count) => sum + count),
      MANY,
    );
    t.is(await things.count({ size: 1 }), MANY);
  });

  test('updateEach changes no id and no part of the text of a document that is written whole, and takes no unique value', async (t) => {
    const things = await filled(open(), thing('a', { serial: 's' }), thing('b', { serial: 't' }));
    const rename = [{ id: 'a', update: { $set: { id: 'z' } } }];
    await t.throwsAsync(things.updateEach(rename), { code: 'INVALID' });
    const take = [{ id: 'b', update: { $set: { serial: 's' } } }];
    const error = await t.throwsAsync(things.updateEach(take), { instanceOf: DuplicateError });
    t.is(error?.field, 'serial');
    t.deepEqual(await things.find({}), [thing('a', { serial: 's' }), thing('b', { serial: 't' })]);
    const documents = await whole(open());
    await documents.insert(thing('a'));
    await t.throwsAsync(documents.updateEach([{ id: 'a', update: { $set: { free: 'b' } } }]), {
      message: /written whole/,
    });
  });
}
