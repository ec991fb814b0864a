/** Limits of deliveries: how long they are attempted, and how many are kept. */
import { DAY_MS } from '../../vocabulary/units.ts';

export interface HookLimits {
  /** Total ms for one attempt. */
  attempt: number;
  /** ms until the first retry of a delivery; it doubles with each retry. */
  firstWait: number;
  maxWait: number;
  /** Maximum ms of back-off for an unreachable receiver; short, so that deliveries resume soon after it recovers. */
  maxBackoff: number;
  /** ms after which a delivery is abandoned. */
  abandonAfter: number;
  /** ms between passes of the reconcile loop. */
  round: number;
  /** Per hook. */
  maxWaiting: number;
  maxEnded: number;
}

export const usualLimits: HookLimits = {
  attempt: 10_000,
  firstWait: 1_000,
  maxWait: 600_000,
  maxBackoff: 60_000,
  abandonAfter: DAY_MS,
  round: 2_000,
  maxWaiting: 100_000,
  maxEnded: 1_000,
};

const JITTER = 0.2;

/**
 * Returns the ms of back-off after the n-th failure: doubling, with jitter to spread deliveries that failed together.
 */
export function backoff(failures: number, firstMs: number, maxMs: number): number {
  const ms = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return ms * (1 - JITTER + 2 * JITTER * Math.random());
}
