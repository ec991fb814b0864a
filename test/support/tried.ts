/**
 * The results of trial-loading the definitions of the package and the fixtures: that takes a second, so it is done
 * once, cached next to the packages, and copied for each daemon that a test starts.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLibrary } from '../../engine/library/library.ts';
import { MemoryStore } from './memory-store.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = join(root, 'node_modules/.cache/nodewright');
const folders = {
  graphs: [join(root, 'graphs'), join(root, 'fixtures/graphs')],
  tasks: [join(root, 'tasks'), join(root, 'fixtures/tasks')],
};

let made: Promise<string> | undefined;

/** @param dataDir of a daemon that has not started */
export async function putTried(dataDir: string): Promise<void> {
  made ??= make();
  await mkdir(join(dataDir, 'library'), { recursive: true });
  await copyFile(await made, join(dataDir, 'library', 'tried.json'));
}

/** When several processes create it concurrently, one of them renames it into place. */
async function make(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const folder of [...folders.graphs, ...folders.tasks, join(root, 'engine/define')]) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(folder, name);
      if (statSync(file).isFile()) hash.update(name).update(readFileSync(file));
    }
  }
  const path = join(home, `tried-${hash.digest('hex').slice(0, 16)}.json`);
  if (existsSync(path)) return path;
  await mkdir(home, { recursive: true });
  const cacheDir = await mkdtemp(join(home, 'draft-'));
  try {
    const log = { info: () => {}, warn: () => {} };
    await (await openLibrary({ folders, cacheDir, store: new MemoryStore(), log })).close();
    await rename(join(cacheDir, 'tried.json'), path);
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
  return path;
}
