import test from 'ava';
import { LargeCounts } from '../../../../engine/platform/store/large-counts.ts';

test('few matches are counted each time, and many once in a moment, each filter for itself', async (t) => {
  const counts = new LargeCounts();
  let counted = 0;
  const giving = (count: number) => async () => {
    counted += 1;
    return count;
  };
  t.is(await counts.of({ status: 'failed' }, giving(9_999)), 9_999);
  t.is(await counts.of({ status: 'failed' }, giving(10_000)), 10_000);
  t.is(await counts.of({ status: 'failed' }, giving(10_001)), 10_001);
  t.is(counted, 3);
  t.is(await counts.of({ status: 'failed' }, giving(3)), 10_001);
  t.is(await counts.of({}, giving(20_000)), 20_000);
  t.is(counted, 4);
});

test('a count that fails is not kept', async (t) => {
  const counts = new LargeCounts();
  await t.throwsAsync(
    counts.of({}, () => Promise.reject(new Error('away'))),
    { message: 'away' },
  );
  t.is(await counts.of({}, async () => 1), 1);
});
