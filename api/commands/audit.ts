/** `nodewright audit`: verifies or exports the audit log, without the daemon. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkExport, openStoredAudit, readConfig, type StoredAudit } from '../../engine/index.ts';
import type { CommandTopic } from './topic.ts';

interface Checked {
  ok: boolean;
  checked: number;
  brokenAt: number | null;
}

const resultLine = ({ ok, checked, brokenAt }: Checked): string =>
  ok
    ? `The chain is unbroken: ${checked} entries.`
    : `The chain is broken at entry ${brokenAt}, after ${checked} correct ones.`;

async function inStore<R>(use: (audit: StoredAudit) => Promise<R>): Promise<R> {
  const audit = await openStoredAudit(readConfig());
  try {
    return await use(audit);
  } finally {
    await audit.close();
  }
}

async function verify(file: string | undefined): Promise<number> {
  if (file === undefined) {
    const result = await inStore((audit) => audit.verify());
    console.log(resultLine(result));
    return result.ok ? 0 : 1;
  }
  const input = createReadStream(file);
  // Readline does not pass on the errors of its input.
  await Promise.race([once(input, 'open'), once(input, 'error').then(([error]) => Promise.reject(error))]);
  const { after, end, ...result } = await checkExport(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  console.log(resultLine(result));
  if (after !== undefined) console.log(`after ${after.seq} ${after.hash}\nuntil ${end?.seq} ${end?.hash}`);
  return result.ok ? 0 : 1;
}

async function exportEntries(after: number): Promise<number> {
  await inStore(async (audit) => {
    for await (const entry of audit.entries(after)) {
      if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
    }
  });
  return 0;
}

/** Exit codes: 0 valid, 1 broken, 2 could not be done. */
export const auditCommand: CommandTopic = {
  usage: ['audit verify [FILE]', 'audit export [SEQ]'],
  async run([action, given, ...more]) {
    if (more.length > 0) return undefined;
    if (action === 'verify') return verify(given);
    if (action === 'export' && /^\d*$/.test(given ?? '')) return exportEntries(Number(given ?? 0));
    return undefined;
  },
};
