/** Opens the audit log. */

import { AuditLog } from '../audit/audit-log.ts';
import { auditRetention } from '../audit/audit-retention.ts';
import { openAuditStore } from '../audit/audit-store.ts';
import type { Foundation } from './foundation.ts';

export async function openAudit({ config, log, store, cluster, failedIn }: Foundation) {
  const stored = await openAuditStore(store);
  const failed = failedIn('audit');
  const lost = (records: readonly object[]) =>
    log.error({ records }, 'the process stops before these entries of the audit log are stored');
  const audit = new AuditLog(stored, { failed, lost });
  const retention = auditRetention(stored, cluster, config.auditRetentionDays, failed);
  return {
    audit,
    start: () => retention?.start(),
    async close(): Promise<void> {
      await retention?.close();
      await audit.close();
    },
  };
}
