/** `nodewright audit`: verifies or exports the audit log, without the daemon. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ChainEnd, ChainReport } from '../../../engine/api-port/index.ts';
import { checkExport, openStoredAudit, readConfig, type StoredAudit } from '../../../engine/index.ts';
import { codeOf, messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { exitCodeOfReport, sayChecked } from '../checked-chain.ts';
import { CommandError } from '../exit-codes.ts';

/** @param remote the command that does the same by the daemon: without services, that has the store alone while it runs */
async function ofStore<R>(remote: string, use: (audit: StoredAudit) => Promise<R>): Promise<R> {
  const audit = await openStoredAudit(readConfig()).catch((error: unknown) => {
    if (codeOf(error) !== 'DATA_DIR_LOCKED') throw error;
    throw new CommandError(`DATA_DIR_LOCKED: ${messageOf(error)}; or let the daemon do it: ${remote}`);
  });
  try {
    return await use(audit);
  } finally {
    await audit.close();
  }
}

export async function verifyAudit(file: string | undefined, notedEnd: ChainEnd | undefined): Promise<void> {
  const report = await (file === undefined
    ? ofStore('nw audit verify-remote', (audit) => audit.verify(notedEnd))
    : checkFile(file, notedEnd));
  sayChecked(report, notedEnd);
  process.exitCode = exitCodeOfReport(report);
}

async function checkFile(file: string, notedEnd: ChainEnd | undefined): Promise<ChainReport> {
  const input = createReadStream(file);
  // Readline does not pass on the errors of its input.
  await Promise.race([once(input, 'open'), once(input, 'error').then(([error]) => Promise.reject(error))]);
  return checkExport(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }), notedEnd);
}

export async function exportEntries(after: number): Promise<void> {
  await ofStore('nw audit list -o jsonl --limit 1000000', async (audit) => {
    for await (const entry of audit.entries(after)) {
      if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
    }
  });
}
