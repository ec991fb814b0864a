/**
 * Copies an embedded database that another process uses, or none, into a folder: as of a moment between the call and its
 * end. `copy-server.ts` is the other side.
 */
import { closeSync, constants, copyFileSync, openSync, readSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { codeOf } from '../../vocabulary/thrown-values.ts';
import { COPIED, copyAnswers, copySocketIn } from './copy-server.ts';
import { databaseFile } from './data-dir.ts';
import { daemonOr } from './data-dir-socket.ts';
import { lockDataDir } from './lock.ts';

/** The log begins with this many bytes that change when it is used from its beginning again. */
const LOG_HEADER = 32;
/** That happens at most once while the file is held. */
const LOG_COPIES = 3;

/** @throws NodewrightError BACKUP_FAILED, DATA_DIR_LOCKED */
export async function copyDatabase(dataDir: string, folder: string): Promise<void> {
  const owner = await daemonOr(copySocketIn(dataDir), () => lockDataDir(dataDir));
  if (!(owner instanceof Socket)) {
    try {
      await copyFiles(dataDir, folder);
    } finally {
      owner.release();
    }
    return;
  }
  const socket = owner;
  const lines = createInterface({ input: socket });
  try {
    const answers = lines[Symbol.asyncIterator]();
    await expect(answers, copyAnswers.held);
    await copyFiles(dataDir, folder);
    socket.write(`${COPIED}\n`);
    await expect(answers, copyAnswers.kept);
  } finally {
    lines.close();
    socket.destroy();
  }
}

async function expect(answers: ReturnType<Interface[typeof Symbol.asyncIterator]>, wanted: string): Promise<void> {
  const { value } = await answers.next();
  const line = value as string | undefined;
  if (line === wanted) return;
  if (line === undefined) throw backupError('the daemon ended during the copy; try again');
  const { written, rejected } = copyAnswers;
  if (line === written) throw backupError('the disk of the daemon became full during the copy; free some space');
  throw backupError(
    line.startsWith(rejected) ? line.slice(rejected.length + 1) : `the daemon answered ${line.slice(0, 100)}`,
  );
}

const backupError = (why: string) => new NodewrightError('BACKUP_FAILED', `the database could not be copied: ${why}`);

/** The log after the file: what was moved from the log to the file before is in the file. */
async function copyFiles(dataDir: string, folder: string): Promise<void> {
  const [from, to] = [databaseFile(dataDir), databaseFile(folder)];
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  for (let copies = 0; copies < LOG_COPIES; copies += 1) {
    const before = headerOf(`${from}-wal`);
    if (before === undefined) return;
    copyFileSync(`${from}-wal`, `${to}-wal`, constants.COPYFILE_FICLONE);
    if (headerOf(`${from}-wal`) === before) return;
  }
  throw backupError('its log changes all the time; try again');
}

/** @returns undefined: there is none, because the database was closed */
function headerOf(log: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(log, 'r');
    const header = Buffer.alloc(LOG_HEADER);
    readSync(file, header);
    return header.toString('hex');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
