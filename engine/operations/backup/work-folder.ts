/**
 * The folder beside the file of a new backup, in which it is made: FILE.work. One process has it at a time; what a process
 * that was killed left there is removed by the next one.
 */
import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../platform/lib/sync-folder.ts';
import { lockDataDir } from '../../platform/store/lock.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';

export interface WorkFolder {
  /** Path of the archive until it is complete. */
  part: string;
  /** Empty. */
  folder: string;
}

/**
 * @param make writes the archive
 * @throws NodewrightError BACKUP_EXISTS, BACKUP_FAILED, DATA_DIR_LOCKED when another process makes the same file
 */
export async function makeFile<T>(file: string, make: (work: WorkFolder) => Promise<T>): Promise<T> {
  if (existsSync(file)) throw takenError(file);
  const home = `${file}.work`;
  const folder = join(home, 'folder');
  const part = join(home, 'part');
  try {
    mkdirSync(home, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new NodewrightError('BACKUP_FAILED', `${dirname(file)} cannot be written (${codeOf(error)})`);
    }
  }
  const lock = lockDataDir(home);
  try {
    rmSync(folder, { recursive: true, force: true });
    rmSync(part, { force: true });
    mkdirSync(folder, { mode: 0o700 });
    const result = await make({ part, folder });
    publish(part, file);
    return result;
  } finally {
    lock.release();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A link, because a rename would replace a file that came there in the meantime. */
function publish(part: string, file: string): void {
  try {
    linkSync(part, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw takenError(file);
    throw error;
  }
}

const takenError = (file: string) =>
  new NodewrightError('BACKUP_EXISTS', `${file} exists, and is not replaced; choose another name, or remove it`);
