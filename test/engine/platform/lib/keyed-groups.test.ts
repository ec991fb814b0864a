import test from 'ava';
import { KeyedGroups } from '../../../../engine/platform/lib/keyed-groups.ts';
import { deferred } from '../../../support/ava/deferred.ts';

test('items of a key that arrive while a group runs are the next group, in their order; keys do not wait for each other', async (t) => {
  const gate = deferred();
  const groups: string[] = [];
  const keyed = new KeyedGroups<number, string>(async (key, items) => {
    groups.push(`${key} ${items}`);
    if (key === 'a' && items[0] === 1) await gate.promise;
    return `${key}${items.length}`;
  });
  const results = [keyed.add('a', 1), keyed.add('a', 2), keyed.add('b', 1), keyed.add('a', 3)];
  t.is(await results[2], 'b1');
  t.deepEqual(groups, ['a 1', 'b 1']);
  gate.resolve();
  t.deepEqual(await Promise.all(results), ['a1', 'a2', 'b1', 'a2']);
  t.is(await keyed.add('a', 4), 'a1');
  t.deepEqual(groups, ['a 1', 'b 1', 'a 2,3', 'a 4']);
});

test('a group that fails rejects its items alone, and the next group runs', async (t) => {
  const gate = deferred();
  const keyed = new KeyedGroups<number, number>(async (_, items) => {
    if (items[0] === 1) await gate.promise;
    return items.length;
  });
  const [first, second] = [keyed.add('a', 1), keyed.add('a', 2)];
  const failed = t.throwsAsync(first, { message: 'away' });
  gate.reject(new Error('away'));
  await failed;
  t.is(await second, 1);
});
