/**
 * A folder and an image of it that has only the synced writes, as a power failure would leave it. A library that is
 * loaded into the process makes the image (`synced-disk.c`); the process has to be killed before the image is used.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import { onPath } from '../ava/on-path.ts';
import type { Scope } from '../ava/scope.ts';

const SOURCE = packagePath('test/support/faults/synced-disk.c');

export const noSyncedDisk =
  process.platform === 'linux' && onPath('cc') ? undefined : 'it needs Linux and a C compiler (cc)';

export interface SyncedDisk {
  readonly path: string;
  /** Environment of the process; the folder must be used by one process only. */
  readonly env: NodeJS.ProcessEnv;
  /** Paths of the completed syncs, in order. */
  syncs(): string[];
  /** Writes the image to a new folder. @returns the folder */
  afterPowerFailure(): string;
}

/** @param killAfter number of syncs after which the process kills itself */
export function syncedDisk(t: Scope, killAfter = 0): SyncedDisk {
  const home = realpathSync(folder(t));
  const [path, image] = [join(home, 'disk'), join(home, 'image')];
  for (const each of [path, image]) mkdirSync(each);
  const library = built();
  let copies = 0;
  return {
    path,
    env: { LD_PRELOAD: library, SYNCED_DISK: path, SYNCED_IMAGE: image, SYNCED_KILL: String(killAfter) },
    syncs: () => lines(join(image, 'log')),
    afterPowerFailure() {
      const to = join(home, `copy${copies++}`);
      restore(image, statSync(path).ino, to);
      return to;
    },
  };
}

/** Built once for each version of its source. */
function built(): string {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const library = packagePath(`node_modules/.cache/nodewright/synced-disk-${hash}.so`);
  if (existsSync(library)) return library;
  const draft = `${library}.${process.pid}`;
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-pthread', '-o', draft, SOURCE, '-ldl']);
  if (status !== 0) throw new Error(`cc failed: ${stderr}`);
  renameSync(draft, library);
  return library;
}

function restore(image: string, inode: number | string, to: string): void {
  mkdirSync(to);
  for (const line of lines(join(image, String(inode)))) {
    const [entry = '', type, name = ''] = line.split(' ');
    if (type === 'folder') restore(image, entry, join(to, name));
    else if (existsSync(join(image, entry))) copyFileSync(join(image, entry), join(to, name));
    else writeFileSync(join(to, name), '');
  }
}

const lines = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
