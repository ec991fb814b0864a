/** The time of the last backup that was made on this machine, in the file `last-backup` of the data directory. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ISO = /^\d{4}-\d{2}-\d{2}T[\d:.]{1,20}Z$/;

const fileIn = (dataDir: string): string => join(dataDir, 'last-backup');

/** @param at ISO 8601 */
export async function recordBackup(dataDir: string, at: string): Promise<void> {
  const file = fileIn(dataDir);
  await writeFile(`${file}.new`, at, { mode: 0o644 });
  await rename(`${file}.new`, file);
}

/** @returns ISO 8601; null: none is known */
export async function lastBackup(dataDir: string): Promise<string | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  return ISO.test(text) ? text : null;
}
