/**
 * The lock of a data directory: two daemons on one directory would destroy it.
 *
 * 1. The kernel holds the lock (POSIX, by SQLite on `<dataDir>/lock/lock.sqlite`), so it ends with its process however
 *    that ends, and counts in every pid namespace of the machine. Between machines it is as good as their file system.
 * 2. `<dataDir>/lock/holder` says who holds it, for the message alone.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { NodewrightError } from '../define/errors.ts';

export interface DataDirLock {
  release(): void;
}

/** @throws NodewrightError DATA_DIR_LOCKED when another process, or this one, holds the directory already */
export function lockDataDir(dataDir: string): DataDirLock {
  const folder = join(dataDir, 'lock');
  const holder = join(folder, 'holder');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new Database(join(folder, 'lock.sqlite'), { timeout: 0 });
  try {
    // No journal on the disk: it may be full.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
    const message = `${dataDir}: held by ${holderIn(holder)}, expected to be free; stop it or set another dataDir`;
    throw new NodewrightError('DATA_DIR_LOCKED', message);
  }
  note(holder);
  return { release: () => database.close() };
}

/** Helps a person who reads the message; the lock holds without it, also where the disk is full. */
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
