import test from 'ava';
import { update as mingoUpdate } from 'mingo/updater';
import { applyUpdate } from '../../../../engine/platform/store/apply-update.ts';
import type { Update } from '../../../../engine/platform/store/port.ts';

const document = () => ({ id: 'a', n: 1, tags: ['x', 'y'], list: [{ k: 1 }, { k: 2 }], deep: { inner: { n: 1 } } });

const updates: Update[] = [
  { $set: { n: 2, 'deep.inner.n': 3, 'deep.other': { list: [1] } } },
  { $unset: { n: '', 'deep.inner': '' } },
  { $inc: { n: 4, 'deep.inner.n': -1, absent: 1 } },
  { $push: { tags: 'z' } },
  { $push: { list: { $each: [{ k: 3 }], $slice: -2 } } },
  { $addToSet: { tags: { $each: ['x', 'z'] } } },
  { $pull: { tags: 'x', list: { k: { $gt: 1 } } } },
  { $set: { n: 2 }, $unset: { deep: '' }, $addToSet: { tags: 'w' } },
];

test('an update changes a document as the updater of mingo does', (t) => {
  for (const update of updates) {
    const [changed, expected] = [document(), document()];
    applyUpdate(changed, update);
    mingoUpdate(expected, update as object);
    t.deepEqual(changed, expected, JSON.stringify(update));
    t.notDeepEqual(changed, document() as typeof changed, JSON.stringify(update));
  }
});

test('a changed document shares no value with its update', (t) => {
  const update = { $set: { deep: { inner: { n: 5 } } } };
  const changed = document();
  applyUpdate(changed, update);
  changed.deep.inner.n = 6;
  t.is(update.$set.deep.inner.n, 5);
});

test('an unknown operator is an error', (t) => {
  t.throws(() => applyUpdate(document(), { $replace: { n: 2 } } as never), { message: /\$replace/ });
});
