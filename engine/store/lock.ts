/**
 * The lock of a data directory: two daemons on one directory would destroy it. It owns `<dataDir>/lock/`, where each
 * holder leaves one numbered file; the highest number is the holder that counts.
 *
 * 1. Numbers only go up, and the highest file always stays: a holder that leaves empties its file, which needs no room on the disk. So who
 *    saw a dead holder at n may try n + 1, and the link that makes that file lets exactly one of them through.
 * 2. Who got a number looks again: if a higher one is there by now, it saw an old state, and starts over.
 * 3. A holder is dead when its process is: no such pid, a zombie, or a pid that began at another time (reused).
 * 4. Processes have to see each other: the directory must not be shared between machines or pid namespaces.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodewrightError } from '../define/errors.ts';

interface Holder {
  pid: number;
  /** When the process began, as the kernel counts; null where there is no /proc. */
  began: string | null;
  released: boolean;
}

export interface DataDirLock {
  release(): void;
}

/** Each try loses only to another process that made progress; this many in a row is no race but a fault. */
const MAX_TRIES = 1_000;

/** Directories that this process holds: without /proc, its own pid alone does not tell. */
const held = new Set<string>();
let tempFiles = 0;

/**
 * Takes the directory for this process, at once when its last holder is dead.
 * @throws NodewrightError DATA_DIR_LOCKED when it is held
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const folder = join(dataDir, 'lock');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mine = writeHolder(folder, { pid: process.pid, began: beganOf(process.pid), released: false });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const number = tryTake(folder, dataDir, mine);
      if (number !== undefined) return holding(folder, number);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw new NodewrightError(
    'DATA_DIR_LOCKED',
    `${folder}: changes all the time, expected a quiet directory; look there`,
  );
}

function tryTake(folder: string, dataDir: string, mine: string): number | undefined {
  const last = highest(folder);
  if (last > 0) {
    const holder = readHolder(folder, last);
    if (holder === undefined) return undefined;
    if (isHeld(holder, folder)) refuse(dataDir, holder);
  }
  const number = last + 1;
  if (!link(mine, join(folder, String(number)))) return undefined;
  if (highest(folder) === number) return number;
  rmSync(join(folder, String(number)), { force: true });
  return undefined;
}

function holding(folder: string, number: number): DataDirLock {
  held.add(folder);
  for (const older of numbers(folder)) if (older < number) rmSync(join(folder, String(older)), { force: true });
  return {
    release() {
      if (!held.delete(folder)) return;
      truncateSync(join(folder, String(number)));
    },
  };
}

const refuse = (dataDir: string, { pid }: Holder): never => {
  const todo = 'stop it or set another dataDir';
  throw new NodewrightError('DATA_DIR_LOCKED', `${dataDir}: held by process ${pid}, expected to be free; ${todo}`);
};

/** Whole before it has its name: nobody ever reads half of one. */
function writeHolder(folder: string, holder: Holder): string {
  const path = join(folder, `new-${process.pid}-${process.hrtime.bigint()}-${tempFiles++}`);
  writeFileSync(path, JSON.stringify(holder), { mode: 0o600 });
  return path;
}

/** undefined: gone since it was listed, because a higher one came. */
function readHolder(folder: string, number: number): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, String(number)), 'utf8')) as Holder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // Empty: its holder has left; or written, but never synced, when the machine lost its power.
    if (error instanceof SyntaxError) return { pid: 0, began: null, released: true };
    throw error;
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const numbers = (folder: string): number[] =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const highest = (folder: string): number => Math.max(0, ...numbers(folder));

function isHeld({ pid, began, released }: Holder, folder: string): boolean {
  if (released) return false;
  const now = beganOf(pid);
  if (now !== null && began !== null) return now === began;
  if (pid === process.pid) return held.has(folder);
  return began === null && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What tells a process from a later one with its pid; null when it is dead, a zombie, or there is no /proc. */
function beganOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold anything; fields count from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot}/${fields[19]}`;
  } catch {
    return null;
  }
}
