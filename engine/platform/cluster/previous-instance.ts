/**
 * Identifies the previous instance on this data directory: it is dead, so no process has to wait for its heartbeats.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../vocabulary/thrown-values.ts';

/** Only for the holder of the directory's lock (`platform/store/lock.ts`). @returns the id of the previous instance, if any */
export function succeed(dataDir: string, id: string): string | undefined {
  const file = join(dataDir, 'process');
  const before = read(file);
  writeFileSync(`${file}.new`, id, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return before;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
