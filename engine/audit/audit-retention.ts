/** Removes entries of the audit log that are older than `auditRetentionDays`. */
import type { Cluster } from '../cluster/cluster.ts';
import { now } from '../lib/clock.ts';
import type { Reconciler } from '../lib/reconciler.ts';
import type { AuditStore } from './audit-store.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 600_000;
const SHARE = 10;
/** An entry that is just being appended stays, whatever the configuration. */
const LEAST_MS = 1_000;

/** @param days 0: all entries are kept */
export function auditRetention(
  store: Pick<AuditStore, 'removeBefore'>,
  cluster: Pick<Cluster, 'reconciler'>,
  days: number,
  failed: (error: unknown) => void,
): Reconciler | undefined {
  if (days === 0) return undefined;
  const ageMs = Math.max(LEAST_MS, days * DAY_MS);
  const everyMs = Math.min(EVERY_MS, ageMs / SHARE);
  return cluster.reconciler({
    name: 'audit',
    everyMs,
    firstMs: everyMs,
    keepsAlive: false,
    pass: ({ goesOn }) => store.removeBefore(new Date(now() - ageMs).toISOString(), goesOn),
    failed,
  });
}
