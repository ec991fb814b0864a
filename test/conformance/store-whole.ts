/** Rules of every store for documents that are written whole: as one text, beside the fields by which they are found. */
import type { Store } from '../../engine/platform/store/port.ts';
import { type Declare, partly, type Thing, thing, whole } from './things.ts';

export function storeWholeConformance(test: Declare, open: () => Store): void {
  test('a document that is written whole is read back unchanged, and is found by the fields beside its text', async (t) => {
    const things = await whole(open());
    const deep = JSON.parse('{ "a.b": 1, "$c": { "%": "\\u0000" }, "__proto__": null }');
    const all = ['a', 'b', 'c'].map((id, last) => thing(id, { last, name: id === 'b' ? null : id, free: deep }));
    t.deepEqual(await things.insertMissing(all), [true, true, true]);
    t.deepEqual(await things.find({ last: { $gt: 0 } }, { sort: { name: 1 } }), [all[1], all[2]] as Thing[]);
    t.deepEqual(await things.replace([{ ...all[0], version: 2, name: 'z' } as Thing, all[1] as Thing]), [true, false]);
    t.deepEqual(await things.find({ $or: [{ name: 'z' }, { id: 'c', version: 1 }] }), [
      { ...all[0], version: 2, name: 'z' } as Thing,
      all[2] as Thing,
    ]);
    t.is(await things.remove({ name: null }), 1);
    t.is(await things.count({}), 2);
  });

  test('an update of what is written whole changes a field beside the text, also in what is read', async (t) => {
    const things = await whole(open());
    await things.insertMissing([thing('a', { name: 'x', free: 1 }), thing('b', { name: 'x' })]);
    const next = (id: string, version: number) => ({
      id,
      filter: { version: version - 1 },
      update: { $set: { name: 'y', version } },
    });
    t.is(await things.updateEach([next('a', 2), next('b', 3)]), 1);
    t.deepEqual(await things.find({ name: 'y' }), [{ ...thing('a', { name: 'y', free: 1 }), version: 2 }]);
    t.deepEqual(await things.update({ id: 'b' }, { $inc: { last: 2 } }), thing('b', { name: 'x', last: 2 }));
    t.deepEqual(await things.replace([{ ...thing('a', { free: 2 }), version: 3 }]), [true]);
    t.deepEqual(await things.get('a'), { ...thing('a', { free: 2 }), version: 3 });
  });

  test('a field that is kept apart is read by those who ask for it, and replaced by the next write', async (t) => {
    const things = await partly(open());
    const [a, b] = [thing('a', { name: 'x', free: 'long "1"' }), thing('b', { name: 'y' })];
    await things.put([a, b]);
    const { free: _, ...alone } = a;
    t.deepEqual(await things.get('a'), alone);
    t.deepEqual(await things.find({}), [alone, b]);
    t.deepEqual(await things.find({ name: 'x' }, { apart: true }), [a]);
    t.deepEqual(await things.update({ id: 'a' }, { $set: { last: 3 } }), { ...alone, last: 3 });
    await things.updateEach([{ id: 'a', update: { $set: { last: 4 } } }]);
    t.deepEqual(await things.find({}, { apart: true }), [{ ...a, last: 4 }, b]);
    await things.put([
      { ...b, free: 'added', version: 2 },
      { ...alone, version: 2 },
      { ...a, version: 1 },
    ]);
    t.deepEqual(await things.find({}, { apart: true }), [
      { ...alone, version: 2 },
      { ...b, free: 'added', version: 2 },
    ]);
    await t.throwsAsync(async () => things.count({ free: 'added' }), { message: /free is named/ });
  });

  test('of what is written whole no other field can be named, and no part of the text can be changed', async (t) => {
    const things = await whole(open());
    await things.insert(thing('a', { free: 1 }));
    const names = { message: /free is named, expected one of id, version, name, last/ };
    await t.throwsAsync(() => things.find({ free: 1 }), names);
    await t.throwsAsync(() => things.find({ $or: [{ id: 'a' }, { free: 1 }] }), names);
    await t.throwsAsync(() => things.find({}, { sort: { free: 1 } }), names);
    await t.throwsAsync(() => things.count({ free: 1 }), names);
    await t.throwsAsync(() => things.remove({ free: 1 }), names);
    for (const update of [
      { $set: { free: 2 } },
      { $set: { name: 'b' }, $inc: { free: 1 } },
      { $unset: { name: '' } },
    ]) {
      await t.throwsAsync(() => things.update({ id: 'a' }, update), { message: /written whole/ });
      await t.throwsAsync(() => things.updateEach([{ id: 'a', update }]), { message: /written whole/ });
    }
    t.deepEqual(await things.get('a'), thing('a', { free: 1 }));
  });
}
