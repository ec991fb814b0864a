/** Opens the definitions: files and packs as blobs, and the library of graphs and tasks. */
import { join } from 'node:path';
import { DefinitionLibrary } from '../library/library.ts';
import { DefinitionRequests } from '../workflows/definition-requests.ts';
import { openBlobStore } from './blob-store.ts';
import type { Foundation } from './foundation.ts';
import type { Edges } from './late-edges.ts';

export async function openDefinitions(
  { config, log, store, queues, vault, starting, failed }: Foundation,
  edges: Edges,
) {
  const bytes = await openBlobStore({
    store,
    folder: join(config.dataDir, 'served'),
    packLimit: config.packLimit,
    allowsCode: config.packCode,
    serve: edges.to('serve'),
    changed: edges.to('packsChanged'),
    failed: (error) => failed('packs', error),
  });
  const library = await DefinitionLibrary.prepare({
    folders: { graphs: [...config.graphs], tasks: [...config.tasks] },
    cacheDir: join(config.dataDir, 'library'),
    store,
    log,
    packs: () => bytes.packs.definitions(),
  });
  const definitions = new DefinitionRequests({
    library,
    vault,
    changes: queues.channel('definitions'),
    loaded: () => starting.definitions(),
  });
  return { bytes, library, definitions };
}

export type OpenDefinitions = Awaited<ReturnType<typeof openDefinitions>>;
