/** `nodewright export`: writes the records of a store as JSON lines, without the daemon. */
import { once } from 'node:events';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import {
  openTransfer,
  readConfig,
  SCHEMA_VERSION,
  TRANSFER_FORMAT,
  type Transfer,
  type TransferHeader,
} from '../../../engine/index.ts';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

/** Only a count in the log of a command. */
const log = { info: () => {}, warn: (_: object, message: string) => console.error(message) };

const headerOf = (secrets: boolean): TransferHeader => ({
  format: TRANSFER_FORMAT,
  schema: SCHEMA_VERSION,
  nodewright: JSON.parse(readFileSync(packagePath('package.json'), 'utf8')).version,
  createdAt: new Date().toISOString(),
  secrets,
});

interface WrittenExport {
  records: number;
  withheld: number;
}

async function writeRecords(
  transfer: Transfer,
  options: { secrets: boolean; catalogs: boolean },
  write: (line: string) => Promise<void>,
): Promise<WrittenExport> {
  let [records, withheld] = [0, 0];
  await write(JSON.stringify(headerOf(options.secrets)));
  for await (const line of transfer.lines(options)) {
    await write(JSON.stringify(line));
    records += 1;
    withheld += line.withheld?.length ?? 0;
  }
  await write(JSON.stringify({ type: 'end', records }));
  return { records, withheld };
}

async function toOutput(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** Only its owner may read the file, which has its name when it is complete. */
async function toFile(file: string, work: (write: (line: string) => Promise<void>) => Promise<WrittenExport>) {
  if (existsSync(file)) throw new Error(`${file} exists, expected a new file; choose another name, or remove it`);
  const draft = `${file}.part`;
  rmSync(draft, { force: true });
  const open = openSync(draft, 'wx', 0o600);
  try {
    const result = await work(async (line) => void writeSync(open, `${line}\n`));
    fsyncSync(open);
    renameSync(draft, file);
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(open);
  }
}

function report({ records, withheld }: WrittenExport, secrets: boolean, leftOut: Record<string, number>): void {
  console.error(`Exported ${records} records.`);
  if (secrets)
    console.error('THE EXPORT CONTAINS ALL SECRETS, READABLE. Keep it as safe as the machines, and delete it.');
  if (withheld > 0)
    console.error(`Left out ${withheld} secrets, which an import cannot restore; --secrets includes them.`);
  const others = Object.entries(leftOut).filter(([, count]) => count > 0);
  for (const [what, count] of others) console.error(`Left out ${count} ${what}: put them again by their routes.`);
}

export interface ExportFlags {
  secrets?: boolean;
  catalogs?: boolean;
}

export async function exportRecords(
  file: string | undefined,
  { secrets = false, catalogs = false }: ExportFlags,
): Promise<void> {
  const transfer = await openTransfer(readConfig(), log, true);
  try {
    const work = (write: (line: string) => Promise<void>) => writeRecords(transfer, { secrets, catalogs }, write);
    report(file === undefined ? await work(toOutput) : await toFile(file, work), secrets, await transfer.leftOut());
  } finally {
    await transfer.close();
  }
}
