/**
 * A small disk: a file system in memory, in a separate mount namespace that a child process holds. Others access it
 * through that process, so the mount is invisible elsewhere, and it is removed with the child.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../ava/scope.ts';

/** Root needs no user namespace, and may not be allowed to create one. */
const isRoot = process.getuid?.() === 0;
const unshare = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
const nsenter = isRoot ? ['--mount'] : ['--user', '--preserve-credentials', '--mount'];
const PLACE = '/mnt';
const mount = (mib: number) => `mount -t tmpfs -o size=${mib}m,mode=777 none ${PLACE}`;

export const noSmallDisk =
  spawnSync('unshare', [...unshare, 'sh', '-c', mount(1)], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'no file system can be mounted here, not even in a separate namespace';

export interface SmallDisk {
  /** The path for processes outside the namespace; for files only, because modules cannot be loaded from it. */
  readonly path: string;
  /** The path for processes inside the namespace. */
  readonly inside: string;
  /** Command prefix that runs a command in the namespace. */
  readonly enter: readonly string[];
  /** Uses all free space. */
  fill(): void;
  free(): void;
}

export async function smallDisk(t: Scope, mib: number): Promise<SmallDisk> {
  // It ends when its stdin closes, so also when the test process is killed.
  const holder = spawn('unshare', [...unshare, 'sh', '-c', `${mount(mib)} && echo mounted && exec cat`]);
  const ended = once(holder, 'exit');
  t.teardown(async () => {
    holder.stdin.end();
    await ended;
  });
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(() => {
      throw new Error(noSmallDisk);
    }),
  ]);
  const path = `/proc/${holder.pid}/root${PLACE}`;
  const filling = join(path, 'filling');
  const enter = ['nsenter', `--target=${holder.pid}`, ...nsenter, `--wdns=${process.cwd()}`];
  return { path, inside: PLACE, enter, fill: () => fill(filling), free: () => rmSync(filling, { force: true }) };
}

const MIB = Buffer.alloc(1024 * 1024);

function fill(file: string): void {
  for (let size = MIB.length; size > 0; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, MIB.subarray(0, size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
