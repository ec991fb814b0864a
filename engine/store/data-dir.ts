/**
 * The data directory of the embedded default: what is there before the database is opened.
 *
 * 1. A directory that once held a database is never given a new one: that would be empty, and open to a first user again.
 * 2. What cannot be used is refused with one sentence, and left as it is.
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

/** Says that a database was made here, in which format, or that one is being made. */
const MARK = 'format';
const FORMAT = '1';
const CREATING = 'creating';

const RESTORE = 'restore a backup, or set another dataDir to begin anew';

/** @throws NodewrightError CONFIG_INVALID when there is no such place, or nothing may be written there */
export function makeDataDir(dataDir: string, folder = ''): string {
  const path = join(dataDir, folder);
  try {
    makeFolder(path);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NodewrightError(
      'CONFIG_INVALID',
      `dataDir ${dataDir} cannot be made (${code}); name a place to write to`,
    );
  }
}

/** One folder at a time: Node's own recursive way never ends where a parent takes no folder, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

interface DatabaseFiles {
  folder: string;
  /** Its first file, which holds the version of its own format. */
  versionFile: string;
  version: string;
}

/**
 * @returns whether the database is still to be made: it never was, or the process that made it died meanwhile
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
  throw damaged(dataDir, isEmpty ? 'its database is gone' : `its database has no ${versionFile}`);
}

/** Makes a database so that a process that dies meanwhile leaves none, and nothing is made in its place afterwards. */
export async function makingDatabase<T>(dataDir: string, isNew: boolean, make: () => Promise<T>): Promise<T> {
  if (isNew) writeMark(dataDir, CREATING);
  const made = await make();
  if (isNew || read(join(dataDir, MARK)) === undefined) writeMark(dataDir, FORMAT);
  return made;
}

/** The old text or the new one is there, whenever the machine loses its power. */
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
