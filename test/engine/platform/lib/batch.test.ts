import test from 'ava';
import { batch } from '../../../../engine/platform/lib/batch.ts';
import { deferred } from '../../../support/ava/deferred.ts';

test('items of one turn run in one batch, and each gets its own result', async (t) => {
  const batches: number[][] = [];
  const double = batch(async (items: number[]) => {
    batches.push(items);
    return items.map((item) => item * 2);
  });
  t.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  t.deepEqual(batches, [[1, 2, 3]]);
});

test('items that are added during a batch run together in the next one', async (t) => {
  const batches: number[][] = [];
  const [began, may] = [deferred(), deferred()];
  const keep = batch(async (items: number[]) => {
    batches.push(items);
    began.resolve();
    await may.promise;
    return items;
  });
  const first = keep(1);
  await began.promise;
  const rest = [keep(2), keep(3)];
  t.is(batches.length, 1);
  may.resolve();
  await Promise.all([first, ...rest]);
  t.deepEqual(batches, [[1], [2, 3]]);
});

test('a batch does not exceed its maximum, and keeps the order', async (t) => {
  const batches: number[][] = [];
  const keep = batch(async (items: number[]) => {
    batches.push(items);
    return items;
  }, 2);
  await Promise.all([1, 2, 3, 4, 5].map(keep));
  t.deepEqual(batches, [[1, 2], [3, 4], [5]]);
});

test('a failed batch fails its items, and the next one runs', async (t) => {
  const keep = batch(async (items: number[]) => {
    if (items.includes(0)) throw new Error('zero');
    return items;
  });
  const settled = await Promise.allSettled([keep(1), keep(0)]);
  t.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.is(await keep(2), 2);
});

test('a run that returns too few results fails', async (t) => {
  const keep = batch(async () => []);
  await t.throwsAsync(() => keep(1), { message: /found 0 results, expected 1/ });
});

test('a batch with a linger time waits for more items, and a full batch does not', async (t) => {
  const batches: number[][] = [];
  const keep = batch(
    async (items: number[]) => {
      batches.push(items);
      return items;
    },
    2,
    50,
  );
  const first = keep(1);
  await new Promise(setImmediate);
  const full = Promise.all([keep(2), keep(3), keep(4)]);
  t.deepEqual(batches, []);
  await Promise.all([first, full]);
  t.deepEqual(batches, [
    [1, 2],
    [3, 4],
  ]);
});
