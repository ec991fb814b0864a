/** Sketches: quantiles of durations, never below the real ones. */
import test from 'ava';
import fc from 'fast-check';
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import { addTo, bucketOf, usualIn } from '../../../../engine/workflows/diagnosis/sketch.ts';

const sketchOf = (durations: readonly number[], bucket = bucketOf) => {
  const sketch = {};
  for (const ms of durations) addTo(sketch, { [bucket(ms)]: 1 });
  return sketch;
};

const duration = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 0, max: 60_000 }),
  fc.integer({ min: 0, max: 400 * DAY_MS }),
);

test('a sketch gives quantiles that are not below the real ones, and at most a twentieth above them', (t) => {
  fc.assert(
    fc.property(fc.array(duration, { minLength: 1, maxLength: 200 }), (durations) => {
      const { p50 = 0, p90 = 0, runs } = usualIn(sketchOf(durations)) ?? {};
      t.is(runs, durations.length);
      const sorted = durations.sort((one, other) => one - other);
      const real = (share: number) => Math.max(1, sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
      t.true(real(0.5) <= p50 && p50 <= 1.05 * real(0.5), `p50 ${p50}`);
      t.true(real(0.9) <= p90 && p90 <= 1.05 * real(0.9), `p90 ${p90}`);
    }),
  );
  t.true((usualIn(sketchOf(Array(10).fill(5_000)))?.p90 ?? 0) >= 5_000);
  t.is(usualIn({}), null);
});

test('the buckets of earlier releases, which are named by their centers, are read by their upper ends, beside others', (t) => {
  const earlierBucket = (ms: number) => `b${Math.round(Math.log(Math.max(1, ms)) / Math.log(1.1))}`;
  fc.assert(
    fc.property(duration, (ms) => {
      const { p50 = 0 } = usualIn(sketchOf([ms], earlierBucket)) ?? {};
      t.true(Math.max(1, ms) <= p50 && p50 <= 1.1 * Math.max(1, ms), `${p50} for ${ms}`);
    }),
  );
  t.deepEqual(usualIn({ ...sketchOf([1_000], earlierBucket), ...sketchOf([10, 10_000]) }), {
    p50: 1_002,
    p90: 10_110,
    runs: 3,
  });
});
