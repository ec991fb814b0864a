/** Results that take a while to make and are the same for all tests: made once, and kept in the cache. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';

export const cacheHome = packagePath('node_modules/.cache/nodewright');

/** The home of results for one build of the tests: they are deleted with its folder. */
export function buildHome(): string {
  const { NODEWRIGHT_TEST_BUILD: own } = process.env;
  return own === undefined ? cacheHome : packagePath(own);
}

const POLL_MS = 50;

/**
 * One of several processes makes the result, and the others wait: a run of tests begins with as many as run at a time.
 * @param make @returns the path of the result, which is the draft, a new folder, or in it
 * @returns the path
 */
export async function madeOnce(path: string, make: (draft: string) => Promise<string>): Promise<string> {
  const lock = `${path}.pid`;
  await mkdir(cacheHome, { recursive: true });
  while (!existsSync(path)) {
    if (!(await isTaken(lock))) {
      await pause(POLL_MS);
      continue;
    }
    try {
      if (!existsSync(path)) await makeAt(path, make);
    } finally {
      await rm(lock, { force: true });
    }
  }
  return path;
}

async function makeAt(path: string, make: (draft: string) => Promise<string>): Promise<void> {
  const draft = await mkdtemp(join(cacheHome, 'draft-'));
  try {
    // A process that took the place of a dead one may have been faster.
    await rename(await make(draft), path).catch((error) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @returns whether this process has taken the lock; removes that of a process that died */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const pid = Number(await readFile(lock, 'utf8').catch(() => process.pid));
    if (!isAlive(pid)) await rm(lock, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
