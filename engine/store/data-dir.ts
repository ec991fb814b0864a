/**
 * Checks the data directory of the embedded default before the database is opened.
 *
 * 1. A directory that once held a database never gets a new one: that would be empty, and open to a first user again.
 * 2. An unusable directory is rejected with a one-line message, and left unchanged.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';
import { codeOf } from '../define/thrown.ts';

/** File that records the format of the database, or that its creation has not finished. */
const MARK = 'format';
const FORMAT = '1';
const CREATING = 'creating';

const RESTORE = 'restore a backup, or set another dataDir to start with an empty one';

/** @throws NodewrightError CONFIG_INVALID when the folder cannot be created */
export function makeDataDir(dataDir: string, folder = ''): string {
  const path = join(dataDir, folder);
  try {
    makeFolder(path);
    return path;
  } catch (error) {
    const code = codeOf(error);
    throw new NodewrightError(
      'CONFIG_INVALID',
      `dataDir ${dataDir} cannot be created (${code}); set a path that is writable`,
    );
  }
}

/** Creates one folder at a time: Node's recursive option never returns if a parent rejects new folders, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

interface DatabaseFiles {
  folder: string;
  /** File that contains the version of the database's format. */
  versionFile: string;
  version: string;
}

/**
 * @returns whether the database has to be created: there was none, or its creation was interrupted
 * @throws NodewrightError DATA_DIR_DAMAGED
 */
export function isNewDatabase(dataDir: string, { folder, versionFile, version }: DatabaseFiles): boolean {
  const mark = read(join(dataDir, MARK));
  if (mark === CREATING) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    return true;
  }
  if (mark !== undefined && mark !== FORMAT) {
    throw damaged(dataDir, `its format is ${JSON.stringify(mark.slice(0, 40))}, expected ${FORMAT}`);
  }
  const found = read(join(folder, versionFile));
  if (found === version) return false;
  if (found !== undefined)
    throw damaged(dataDir, `its database has version ${found.slice(0, 40)}, expected ${version}`);
  const isEmpty = readdirSync(folder).length === 0;
  if (mark === undefined && isEmpty) return true;
  throw damaged(dataDir, isEmpty ? 'its database is missing' : `its database has no ${versionFile}`);
}

/** Creates a database so that an interrupted creation is started again, and a finished one is never replaced. */
export async function makingDatabase<T>(dataDir: string, isNew: boolean, make: () => Promise<T>): Promise<T> {
  if (isNew) writeMark(dataDir, CREATING);
  const made = await make();
  if (isNew || read(join(dataDir, MARK)) === undefined) writeMark(dataDir, FORMAT);
  return made;
}

/** Writes the mark atomically: after a power failure, it has the old text or the new one. */
function writeMark(dataDir: string, text: string): void {
  const draft = join(dataDir, `${MARK}.new`);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, join(dataDir, MARK));
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export const damaged = (dataDir: string, found: string, cause?: unknown): NodewrightError =>
  new NodewrightError('DATA_DIR_DAMAGED', `${dataDir}: ${found}; ${RESTORE}`, { cause });

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
