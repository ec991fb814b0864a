/** How long deliveries are tried, and how many are kept. */

export interface HookLimits {
  /** ms for one attempt in all. */
  attempt: number;
  /** ms until a delivery is tried again the first time; it doubles. */
  firstWait: number;
  maxWait: number;
  /** ms at most for which a receiver that is not there is left alone: it should not have to wait long when it is back. */
  maxRest: number;
  /** ms after which a delivery is given up. */
  giveUp: number;
  /** ms between rounds of whoever looks after all. */
  round: number;
  /** Of one hook. */
  maxWaiting: number;
  maxEnded: number;
}

export const usualLimits: HookLimits = {
  attempt: 10_000,
  firstWait: 1_000,
  maxWait: 600_000,
  maxRest: 60_000,
  giveUp: 24 * 3_600_000,
  round: 2_000,
  maxWaiting: 100_000,
  maxEnded: 1_000,
};

const JITTER = 0.2;

/** ms after the n-th failure: doubling, and spread, so that what failed together does not come back together. */
export function backoff(failures: number, firstMs: number, maxMs: number): number {
  const ms = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return ms * (1 - JITTER + 2 * JITTER * Math.random());
}
