/** Rules of every store for reads of some fields only. */
import type { Store } from '../../engine/platform/store/port.ts';
import { type Declare, filled, ids, listed, thing } from './things.ts';

export function storePickConformance(test: Declare, open: () => Store): void {
  test('pick gives the ids and the indexed fields that are asked for, in the order and pages of find', async (t) => {
    const things = await filled(
      open(),
      thing('a', { name: 'z' }),
      thing('b', { name: 'y' }),
      thing('c', { name: null as never }),
    );
    t.deepEqual(await things.pick(['name'], { id: { $in: ['a', 'b'] } }, { sort: { name: 1 } }), [
      { id: 'b', name: 'y' },
      { id: 'a', name: 'z' },
    ]);
    t.deepEqual(await things.pick(['name'], {}, { skip: 2, limit: 5 }), [{ id: 'c', name: null as never }]);
    t.deepEqual(await things.pick([], { name: 'z' }), [{ id: 'a' }]);
    // By scanning every candidate.
    t.deepEqual(await things.pick(['name'], { free: { $exists: false }, name: 'y' }), [{ id: 'b', name: 'y' }]);
    await t.throwsAsync(async () => things.pick(['free'], {}), {
      message: /free is picked, expected a field with an index/,
    });
  });

  test('a scanned field filters, sorts and is picked as an indexed one', async (t) => {
    const things = await listed(open());
    const sizes = [5, 3, null, 5, 1];
    await things.insertMissing(
      sizes.map((size, n) => thing(`t${n}`, { name: 'x', size: size as number, createdAt: `2026-01-0${9 - n}` })),
    );
    const ordered = { sort: { createdAt: 1 } } as const;
    t.deepEqual(ids(await things.find({ size: 5 }, ordered)), ['t3', 't0']);
    t.deepEqual(ids(await things.find({ size: 5 }, { ...ordered, skip: 1 })), ['t0']);
    t.deepEqual(ids(await things.find({ size: { $gte: 3 }, name: 'x' })), ['t0', 't1', 't3']);
    t.deepEqual(await things.pick(['size'], { size: { $ne: 5 } }, { sort: { size: -1 }, limit: 2 }), [
      { id: 't1', size: 3 },
      { id: 't4', size: 1 },
    ]);
    t.is(await things.count({ size: null }), 1);
    t.is(await things.remove({ size: { $lt: 5 } }), 2);
    t.deepEqual(ids(await things.find({})), ['t0', 't2', 't3']);
    const changed = await things.update({ id: 't0' }, { $set: { size: 9 } });
    t.is(changed?.size, 9);
    t.deepEqual(ids(await things.find({ size: 9 })), ['t0']);
  });

  test('lastOf gives the newest of each value, also where one value has more than a page', async (t) => {
    const things = await listed(open());
    const at = (n: number) => `2026-01-01T00:00:00.${String(n).padStart(4, '0')}Z`;
    const rare = [1, 2, 2].map((n, place) => thing(`rare${place}`, { name: 'rare', createdAt: at(n) }));
    const often = Array.from({ length: 1_100 }, (_, n) => thing(`often${n}`, { name: 'often', createdAt: at(n + 5) }));
    await things.insertMissing([...rare, thing('other', { name: 'other', createdAt: at(9_999) })]);
    for (let from = 0; from < often.length; from += 100) await things.insertMissing(often.slice(from, from + 100));
    const last = await things.lastOf(['createdAt', 'name'], 'name', ['rare', 'often', 'none'], 2);
    const of = (name: string) => last.filter((found) => found.name === name);
    t.deepEqual(
      of('rare'),
      [1, 2].map((place) => ({ id: `rare${place}`, createdAt: at(2), name: 'rare' })),
    );
    t.deepEqual(ids(of('often')), ['often1099', 'often1098']);
    t.is(last.length, 4);
    t.deepEqual(await things.lastOf(['name'], 'name', [], 2), []);
    await t.throwsAsync(async () => things.lastOf(['createdAt'], 'createdAt', ['x'], 2), {
      message: /the newest by createdAt/,
    });
  });
}
