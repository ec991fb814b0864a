/** `nodewright audit`: verifies or exports the audit log, without the daemon. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkExport, openStoredAudit, readConfig, type StoredAudit } from '../../../engine/index.ts';
import { EXIT } from '../exit-codes.ts';

interface Checked {
  ok: boolean;
  checked: number;
  brokenAt: number | null;
}

const resultLine = ({ ok, checked, brokenAt }: Checked): string =>
  ok
    ? `The chain is unbroken: ${checked} entries.`
    : `The chain is broken at entry ${brokenAt}, after ${checked} correct ones.`;

async function ofStore<R>(use: (audit: StoredAudit) => Promise<R>): Promise<R> {
  const audit = await openStoredAudit(readConfig());
  try {
    return await use(audit);
  } finally {
    await audit.close();
  }
}

export async function verifyAudit(file: string | undefined): Promise<void> {
  if (file === undefined) {
    const result = await ofStore((audit) => audit.verify());
    conclude(result);
    return;
  }
  const input = createReadStream(file);
  // Readline does not pass on the errors of its input.
  await Promise.race([once(input, 'open'), once(input, 'error').then(([error]) => Promise.reject(error))]);
  const { after, end, ...result } = await checkExport(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  conclude(result);
  if (after !== undefined) console.log(`after ${after.seq} ${after.hash}\nuntil ${end?.seq} ${end?.hash}`);
}

export async function exportEntries(after: number): Promise<void> {
  await ofStore(async (audit) => {
    for await (const entry of audit.entries(after)) {
      if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
    }
  });
}

function conclude(result: Checked): void {
  console.log(resultLine(result));
  if (!result.ok) process.exitCode = EXIT.failed;
}
