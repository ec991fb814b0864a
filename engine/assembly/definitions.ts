/** Opens the definitions: files and packs as blobs, and the library of graphs and tasks. */
import { join } from 'node:path';
import { DefinitionLibrary } from '../library/versions/library.ts';
import { buildId } from '../platform/lib/build-id.ts';
import { packagePath } from '../vocabulary/package-path.ts';
import { DefinitionRequests } from '../workflows/requests/definition-requests.ts';
import { openBlobStore } from './blob-store.ts';
import type { Foundation } from './foundation.ts';
import type { LateLinks } from './late-calls.ts';

/** Written by `api/build/build.mjs`. */
const BUILT = 'dist/library';

/** @param limitMs for the trial and the import of one file; undefined: that of the library */
export async function openDefinitions(foundation: Foundation, lateLinks: LateLinks, limitMs?: number) {
  const { config, log, store, queues, vault, starting } = foundation;
  const bytes = await openBlobStore(foundation, lateLinks);
  const library = await DefinitionLibrary.prepare({
    folders: { graphs: [...config.graphs], tasks: [...config.tasks] },
    included: [packagePath('graphs'), packagePath('tasks')],
    cacheDir: join(config.dataDir, 'library'),
    store,
    log,
    packs: () => bytes.packs.definitions(),
    reuse: buildId === undefined ? undefined : { build: buildId, built: packagePath(BUILT) },
    limitMs,
  });
  const definitions = new DefinitionRequests(library, vault, queues.channel('definitions'), () =>
    starting.definitions(),
  );
  return { bytes, library, definitions };
}

export type OpenDefinitions = Awaited<ReturnType<typeof openDefinitions>>;
