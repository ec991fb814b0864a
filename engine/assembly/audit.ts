/** Opens the audit log. */

import { AuditLog } from '../operations/audit/audit-log.ts';
import { openAuditStore } from '../operations/audit/audit-store.ts';
import { retention } from '../platform/cluster/retention.ts';
import type { Foundation } from './foundation.ts';

export async function openAudit({ config, log, store, cluster, failedIn }: Foundation) {
  const stored = await openAuditStore(store);
  const failed = failedIn('audit');
  const logLost = (records: readonly object[]) =>
    log.error({ records }, 'the process stops before these entries of the audit log are stored');
  const audit = new AuditLog(stored, { failed, lost: logLost });
  const tidying = retention(cluster, {
    name: 'audit',
    days: config.auditRetentionDays,
    removeBefore: (before, goesOn) => stored.removeBefore(before, goesOn),
    failed,
  });
  return {
    audit,
    start: () => tidying?.start(),
    async close(): Promise<void> {
      await tidying?.close();
      await audit.close();
    },
  };
}
