/**
 * A sketch of durations in whole ms: counts in buckets whose bounds grow by a twentieth. A quantile is never below the real
 * one, because what begins in a window must also end in it, and at most 5 % above it. Sketches of several processes are added up.
 */
import type { UsualMs } from '../../api-port/index.ts';

/** By bucket. */
export type Sketch = Record<string, number>;

const GROWTH = Math.log(1.05);
/** That of the buckets `b0`, `b1`, ... of earlier releases, which are still in the store. Each was named by its center. */
const EARLIER_GROWTH = Math.log(1.1);
/** A power may be a little less than the whole number that it is. */
const ROUNDING = 1e-6;

/** The bucket of a duration in ms: of those that are above the upper end of the one before it. */
export const bucketOf = (ms: number): string => `c${Math.ceil(Math.log(Math.max(1, ms)) / GROWTH)}`;

/** Returns the longest duration in a bucket. */
function longestIn(bucket: string): number {
  const n = Number(bucket.slice(1));
  const end = bucket.startsWith('b') ? (n + 0.5) * EARLIER_GROWTH : n * GROWTH;
  return Math.floor(Math.exp(end) + ROUNDING);
}

export function addTo(sketch: Sketch, other: Sketch): void {
  for (const [bucket, count] of Object.entries(other)) sketch[bucket] = (sketch[bucket] ?? 0) + count;
}

export const runsIn = (sketch: Sketch): number => Object.values(sketch).reduce((sum, count) => sum + count, 0);

/** @returns null for an empty sketch */
export function usualIn(sketch: Sketch): UsualMs | null {
  const runs = runsIn(sketch);
  if (runs === 0) return null;
  const buckets = Object.entries(sketch)
    .map(([bucket, count]) => ({ ms: longestIn(bucket), count }))
    .sort((a, b) => a.ms - b.ms);
  const quantile = (share: number): number => {
    let remainingRuns = Math.ceil(share * runs);
    for (const { ms, count } of buckets) {
      remainingRuns -= count;
      if (remainingRuns <= 0) return ms;
    }
    return buckets.at(-1)?.ms ?? 0;
  };
  return { p50: quantile(0.5), p90: quantile(0.9), runs };
}
