/**
 * Retention: removes what is older than a number of days, every ten minutes, or every tenth of the time if that is
 * less. One process of the cluster does it.
 */

import { DAY_MS } from '../../vocabulary/units.ts';
import { now } from '../lib/clock.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { Cluster } from './cluster.ts';

const LONGEST_INTERVAL_MS = 600_000;
const SHARE = 10;
/** Data that is just being written stays, whatever the configuration. */
const LEAST_MS = 1_000;

export interface RetainedKind {
  /** For errors and metrics. */
  name: string;
  /** May be a fraction; 0: all is retained. */
  days: number;
  /** Removes what is older than an ISO time, in pages; `goesOn` says before each whether to continue. */
  removeBefore(before: string, goesOn: () => Promise<boolean>): Promise<void>;
  failed(error: unknown): void;
}

/** @returns undefined if all is kept */
export function retention(cluster: Pick<Cluster, 'reconciler'>, retained: RetainedKind): Reconciler | undefined {
  const { name, days, failed } = retained;
  if (days === 0) return undefined;
  const ageMs = Math.max(LEAST_MS, days * DAY_MS);
  const everyMs = Math.min(LONGEST_INTERVAL_MS, ageMs / SHARE);
  return cluster.reconciler({
    name,
    everyMs,
    firstMs: everyMs,
    keepsAlive: false,
    pass: ({ goesOn }) => retained.removeBefore(new Date(now() - ageMs).toISOString(), goesOn),
    failed,
  });
}
