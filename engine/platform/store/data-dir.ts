/**
 * Checks the data directory of the embedded default before the database is opened.
 *
 * 1. A directory that once held a database never gets a new one: that would be empty, and open to a first user again.
 * 2. An unusable directory is rejected with a one-line message, and left unchanged.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { syncFolder } from '../lib/sync-folder.ts';

/** File that records that the directory has a database, and its format. */
const MARK = 'format';
const FORMAT = '2';

/** File that is there while a restored database takes the place of the former one. */
const RESTORING = 'restoring';

const RESTORE = 'restore a backup, or set another dataDir to start with an empty one';
const KEEP =
  'run the version that made it, or import an export that it makes into an empty dataDir (docs/operate/upgrade.md)';

/** @throws NodewrightError CONFIG_INVALID when the folder cannot be created */
export function makeDataDir(dataDir: string): string {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw unusableError(dataDir, `cannot be created (${codeOf(error)})`);
  }
  if (!statSync(dataDir).isDirectory()) throw unusableError(dataDir, 'is not a folder');
  return dataDir;
}

const unusableError = (dataDir: string, found: string): NodewrightError =>
  new NodewrightError('CONFIG_INVALID', `dataDir ${dataDir} ${found}; set a path that is writable`);

/** Creates one folder at a time, each durably: Node's recursive option never returns if a parent rejects new folders, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The file of the database in a data directory. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'database.sqlite');

/**
 * Checks the data directory, and creates an empty file for a database that is not there yet: only this user can read it.
 * @returns the file
 * @throws NodewrightError DATA_DIR_FORMAT, DATA_DIR_DAMAGED, RESTORE_UNFINISHED
 */
export function databaseFileIn(dataDir: string): string {
  if (existsSync(join(dataDir, RESTORING))) throw unfinishedRestore(dataDir);
  const mark = read(join(dataDir, MARK));
  if (mark !== undefined && mark !== FORMAT) throw otherFormat(dataDir, mark);
  const file = databaseFile(dataDir);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && mark === FORMAT) throw damagedError(dataDir, 'its database is missing');
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    throw damagedError(dataDir, `its database cannot be opened (${codeOf(error)})`, error);
  }
  return file;
}

/** Whether the directory has a database that was complete once. */
export const isMarked = (dataDir: string): boolean => read(join(dataDir, MARK)) !== undefined;

/** Records that the directory has a database, after its creation; what was interrupted before is created again. */
export function markDatabase(dataDir: string): void {
  if (!isMarked(dataDir)) writeMark(dataDir, FORMAT);
}

/** Whether there is, or was, a database or a part of one. */
export const hasDatabase = (dataDir: string): boolean =>
  [MARK, RESTORING, 'secrets'].some((name) => existsSync(join(dataDir, name))) ||
  (statSync(databaseFile(dataDir), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Names that belong to a database, and go with it. The lock stays. */
const PARTS = [MARK, 'secrets', 'served', 'library', 'running', 'process'];

/**
 * Puts the database and the secrets in another folder of the same file system in the place of those in the data directory,
 * whose lock the caller has. A crash in between leaves a mark with which no daemon starts; it is done again then.
 */
export function replaceDatabase(dataDir: string, from: string): void {
  writeFileSync(join(dataDir, RESTORING), '', { mode: 0o600, flush: true });
  syncFolder(dataDir);
  const file = databaseFile(dataDir);
  const old = [...['', '-wal', '-shm'].map((end) => file + end), ...PARTS.map((name) => join(dataDir, name))];
  for (const path of old) rmSync(path, { recursive: true, force: true });
  renameSync(databaseFile(from), file);
  renameSync(join(from, 'secrets'), join(dataDir, 'secrets'));
  writeMark(dataDir, FORMAT);
  rmSync(join(dataDir, RESTORING));
  syncFolder(dataDir);
}

/** Writes the mark atomically: after a power failure, it has the old text or the new one. */
function writeMark(dataDir: string, text: string): void {
  const draft = join(dataDir, `${MARK}.new`);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, join(dataDir, MARK));
  syncFolder(dataDir);
}

export const damagedError = (dataDir: string, found: string, cause?: unknown): NodewrightError =>
  new NodewrightError('DATA_DIR_DAMAGED', `${dataDir}: ${found}; ${RESTORE}`, { cause });

const unfinishedRestore = (dataDir: string): NodewrightError =>
  new NodewrightError(
    'RESTORE_UNFINISHED',
    `${dataDir}: a restore was interrupted; run nodewright backup restore --replace again, with the same file`,
  );

function otherFormat(dataDir: string, mark: string): NodewrightError {
  const found = `format ${JSON.stringify(mark.slice(0, 40))} of another version`;
  return new NodewrightError('DATA_DIR_FORMAT', `${dataDir}: found ${found}, expected format ${FORMAT}; ${KEEP}`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
