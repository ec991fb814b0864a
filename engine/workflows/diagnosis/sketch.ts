/**
 * A sketch of durations: counts in buckets whose bounds grow by a tenth, so that a quantile is off by at most 5 %. Sketches
 * of several processes are added up.
 */
import type { UsualMs } from '../../api-port/index.ts';

/** By bucket. */
export type Sketch = Record<string, number>;

const GROWTH = Math.log(1.1);

/** The bucket of a duration in ms. */
export const bucketOf = (ms: number): string => `b${Math.round(Math.log(Math.max(1, ms)) / GROWTH)}`;

const msIn = (bucket: string): number => Math.round(Math.exp(Number(bucket.slice(1)) * GROWTH));

export function addTo(sketch: Sketch, other: Sketch): void {
  for (const [bucket, count] of Object.entries(other)) sketch[bucket] = (sketch[bucket] ?? 0) + count;
}

export const runsIn = (sketch: Sketch): number => Object.values(sketch).reduce((sum, count) => sum + count, 0);

/** @returns null for an empty sketch */
export function usualIn(sketch: Sketch): UsualMs | null {
  const runs = runsIn(sketch);
  if (runs === 0) return null;
  const buckets = Object.entries(sketch)
    .map(([bucket, count]) => ({ ms: msIn(bucket), count }))
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
