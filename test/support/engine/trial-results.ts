/**
 * The results of loading the definitions of the package and the fixtures, made once and copied for each engine that a
 * test starts: their trials, for any build; their bundles and checks, for engines of this build of the tests and for
 * daemons.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReuseOptions } from '../../../engine/library/bundling/loader.ts';
import { buildId } from '../../../engine/platform/lib/build-id.ts';
import { buildHome, cacheHome, madeOnce } from '../ava/made-once.ts';
import { folders } from './definition-folders.ts';
import { MemoryStore } from './memory-store.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const TRIED = 'tried.json';
/** Each process imports from its own. */
const IMPORTED = ['texts', 'node_modules'];

/** Made anew by each engine, or put there by `putTried`. */
const OWN = ['library', 'lock'];

/** Prepares a data directory to be copied. */
export async function removeOwn(dataDir: string): Promise<void> {
  for (const name of OWN) await rm(join(dataDir, name), { recursive: true, force: true });
}

let tried: Promise<string> | undefined;
let loaded: Promise<string> | undefined;

/** @param dataDir of a daemon that has not started */
export async function putTried(dataDir: string): Promise<void> {
  tried ??= madeOnce(join(cacheHome, `tried-${hashOfDefinitions()}.json`), async (draft) => {
    await load(draft, undefined);
    return join(draft, TRIED);
  });
  await mkdir(join(dataDir, 'library'), { recursive: true });
  await copyFile(await tried, join(dataDir, 'library', TRIED));
}

/** @param dataDir of an engine of this build, which has not started */
export async function putLoaded(dataDir: string): Promise<void> {
  await putTried(dataDir);
  const { NODEWRIGHT_TEST_BUILD: folder } = process.env;
  if (buildId === undefined || folder === undefined) return;
  // In the folder of the build, with which it is deleted.
  loaded ??= madeOnce(join(root, folder, `library-${hashOfDefinitions()}`), async (draft) => {
    await copyFile(join(dataDir, 'library', TRIED), join(draft, TRIED));
    await load(draft, { build: buildId as string, built: join(draft, 'none') });
    for (const name of IMPORTED) await rm(join(draft, name), { recursive: true, force: true });
    return draft;
  });
  linkFiles(await loaded, join(dataDir, 'library'));
  // Node.js imports by real paths: what one engine of a process has imported, the next one does not compile again.
  const texts = join(root, folder, 'texts');
  await mkdir(texts, { recursive: true });
  await symlink(texts, join(dataDir, 'library', 'texts'), 'dir');
}

let served: Promise<string> | undefined;

/**
 * @param dataDir of a daemon with the fixtures, which has not started
 * @param serve starts such a daemon on a data directory, and ends it
 */
export async function putServed(dataDir: string, serve: (dataDir: string) => Promise<void>): Promise<void> {
  served ??= madeOnce(servedFolder(), async (draft) => {
    await putTried(draft);
    await serve(draft);
    const library = join(draft, 'library');
    for (const name of IMPORTED) await rm(join(library, name), { recursive: true, force: true });
    return library;
  });
  linkFiles(await served, join(dataDir, 'library'));
}

function servedFolder(): string {
  const program = createHash('sha256').update(readFileSync(join(root, 'dist/daemon.mjs')));
  const name = `served-${program.digest('hex').slice(0, 16)}-${hashOfDefinitions()}`;
  return join(buildHome(), name);
}

/** A link takes a tenth of the time of a copy. Files are only replaced as a whole, so that those of others stay as they are. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(source, target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // On another file system, or where `putTried` has put it.
    copyFileSync(source, target);
  }
}

export function hashOfDefinitions(): string {
  const hash = createHash('sha256').update(process.version);
  for (const folder of [...folders.graphs, ...folders.tasks, join(root, 'engine/define')]) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(folder, name);
      if (statSync(file).isFile()) hash.update(name).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function load(cacheDir: string, reuse: ReuseOptions | undefined): Promise<void> {
  // Loaded only here: one process of all needs it.
  const { openLibrary } = await import('../../../engine/library/versions/library.ts');
  const log = { info: () => {}, warn: () => {} };
  await (await openLibrary({ folders, cacheDir, store: new MemoryStore(), log, reuse })).close();
}
