/**
 * Loads the included definitions once, when the daemon is built (`api/build/build.mjs`), so that its first start need not
 * bundle, try and check them. No part of the daemon.
 */
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildId } from '../../platform/lib/build-id.ts';
import type { Collection, Document, Store } from '../../platform/store/port.ts';
import { packagePath } from '../../vocabulary/package-path.ts';
import { buildModules } from '../bundling/built-modules.ts';
import { endBundling } from '../bundling/bundle.ts';
import { cachedFilesIn } from '../bundling/cached-bundles.ts';
import { openLibrary } from './library.ts';

/** @param folder receives the results */
export async function prebuild(folder: string): Promise<void> {
  if (buildId === undefined) throw new Error('found sources, expected a build');
  const library = await openLibrary({
    folders: { graphs: [packagePath('graphs')], tasks: [packagePath('tasks')] },
    cacheDir: folder,
    store: empty,
    log: { info: () => {}, warn: () => {} },
    reuse: { build: buildId, built: folder },
  });
  await library.close();
  await buildModules(folder, cachedFilesIn(folder));
  // Later, it would end the next build of the process that called this.
  await endBundling();
  for (const name of ['texts', 'node_modules']) await rm(join(folder, name), { recursive: true, force: true });
  // Another user may run the daemon.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath ?? entry.path, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

/** Only what a library uses that starts without definitions of the API. */
const collection: Pick<Collection<Document>, 'find' | 'pick' | 'insertMissing'> = {
  find: async () => [],
  pick: async () => [],
  insertMissing: async (documents) => documents.map(() => true),
};

const empty = { collection: async () => collection } as unknown as Store;
