/**
 * Copies an embedded database that another process uses, or none, into a folder: as of a moment between the call and its
 * end. `copy-server.ts` is the other side.
 */
import { closeSync, constants, copyFileSync, openSync, readSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { NodewrightError } from '../define/errors.ts';
import { codeOf } from '../define/thrown.ts';
import { COPIED, copyAnswers, copySocketIn, isTooLong } from './copy-server.ts';
import { databaseFile } from './data-dir.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';

/** The time that a daemon may take to open its database, which may be upgraded then. */
const START_MS = 60_000;
const LOOK_MS = 100;
/** The log begins with this many bytes that change when it is used from its beginning again. */
const LOG_HEADER = 32;
/** That happens at most once while the file is held. */
const LOG_COPIES = 3;

/** @throws NodewrightError BACKUP_FAILED, DATA_DIR_LOCKED */
export async function copyDatabase(dataDir: string, folder: string): Promise<void> {
  const owner = await daemonOrLock(dataDir);
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

/** A daemon that starts has the lock, and serves copies a moment later. @throws NodewrightError DATA_DIR_LOCKED */
async function daemonOrLock(dataDir: string): Promise<Socket | DataDirLock> {
  const path = copySocketIn(dataDir);
  for (const until = Date.now() + START_MS; ; await setTimeout(LOOK_MS)) {
    const socket = await connected(path);
    if (socket !== undefined) return socket;
    try {
      return lockDataDir(dataDir);
    } catch (error) {
      if (codeOf(error) !== 'DATA_DIR_LOCKED' || isTooLong(path) || Date.now() > until) throw error;
    }
  }
}

/** @returns undefined: no daemon has it */
async function connected(path: string): Promise<Socket | undefined> {
  if (isTooLong(path)) return undefined;
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    // Later errors end the lines.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(codeOf(error))) return undefined;
    throw failed(`the daemon does not answer at ${path} (${codeOf(error)})`);
  }
}

async function expect(answers: ReturnType<Interface[typeof Symbol.asyncIterator]>, wanted: string): Promise<void> {
  const { value } = await answers.next();
  const line = value as string | undefined;
  if (line === wanted) return;
  if (line === undefined) throw failed('the daemon ended during the copy; try again');
  const { written, refused } = copyAnswers;
  if (line === written) throw failed('the disk of the daemon became full during the copy; free some space');
  throw failed(line.startsWith(refused) ? line.slice(refused.length + 1) : `the daemon answered ${line.slice(0, 100)}`);
}

const failed = (why: string) => new NodewrightError('BACKUP_FAILED', `the database could not be copied: ${why}`);

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
  throw failed('its log changes all the time; try again');
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
