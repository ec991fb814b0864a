/** Opens only the audit log of a store, for commands that run without the daemon. */
import type { AuditEntry, ChainEnd, ChainReport } from '../api-port/index.ts';
import { openAuditStore } from '../operations/audit/audit-store.ts';
import { ChainCheck } from '../operations/audit/chain.ts';
import type { Config } from '../platform/config/config.ts';
import { checkStored, openStoreAlone } from './adapters.ts';

export interface StoredAudit {
  /** @param notedEnd see `ChainCheck` */
  verify(notedEnd?: ChainEnd): Promise<ChainReport>;
  entries(after: number): AsyncIterable<AuditEntry>;
  close(): Promise<void>;
}

/** @throws NodewrightError when the store cannot be opened, as when a daemon runs on this data directory */
export async function openStoredAudit(config: Config): Promise<StoredAudit> {
  checkStored(config);
  const store = await openStoreAlone(config);
  const audit = await openAuditStore(store);
  return {
    async verify(notedEnd) {
      const anchor = await audit.anchor();
      const check = new ChainCheck({ seq: anchor.seq, hash: anchor.hash }, notedEnd);
      for await (const entry of audit.entries(anchor.seq)) if (!check.add(entry)) break;
      return check.report;
    },
    entries: (after) => audit.entries(after),
    close: () => store.close(),
  };
}
