/**
 * The lock of a data directory: two daemons on one directory would destroy it.
 *
 * 1. The kernel holds the lock (POSIX, by SQLite on `<dataDir>/lock/lock.sqlite`), so it ends with its process in every
 *    case, and applies to every pid namespace of the machine. Across machines it is as reliable as their file system.
 * 2. `<dataDir>/lock/holder` names the holder, only for the error message.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { loadLibsql } from './libsql.ts';

/** Without a wait, processes that take the lock at the same moment may reject each other, and none has it. */
const LOCK_TIMEOUT_MS = 500;

export interface DataDirLock {
  release(): void;
}

/**
 * @throws NodewrightError DATA_DIR_LOCKED when another process, or this one, already holds the directory;
 * PLATFORM_UNSUPPORTED
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const Database = loadLibsql();
  const folder = join(dataDir, 'lock');
  const holder = join(folder, 'holder');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new Database(join(folder, 'lock.sqlite'), { timeout: LOCK_TIMEOUT_MS });
  try {
    // No journal on disk: the disk may be full.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (codeOf(error) !== 'SQLITE_BUSY') throw error;
    const message = `${dataDir}: held by ${holderIn(holder)}, expected to be free; stop it or set another dataDir`;
    throw new NodewrightError('DATA_DIR_LOCKED', message);
  }
  note(holder);
  return { release: () => database.close() };
}

/** Writes the holder for the error message; a failure is ignored, since the lock does not depend on it. */
function note(file: string): void {
  try {
    writeFileSync(file, `process ${process.pid} of ${hostname()}`, { mode: 0o600 });
  } catch {}
}

function holderIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 200) || 'another process';
  } catch {
    return 'another process';
  }
}
