/** Assembles the blob subsystem: blobs in the store, the cache on this disk, and everything built from both. */
import { join } from 'node:path';
import { Blobs } from '../inventory/files/blobs.ts';
import { BuiltIn } from '../inventory/files/built-in.ts';
import { Cache } from '../inventory/files/cache.ts';
import { FileStore, fileSpec, type StoredFile } from '../inventory/files/file-store.ts';
import { Rendering } from '../inventory/files/rendering.ts';
import { type PackDefinitions, packDefinitionSpec } from '../inventory/packs/pack-definitions.ts';
import { limitsOf } from '../inventory/packs/pack-limits.ts';
import { PackStore } from '../inventory/packs/pack-store.ts';
import { type StoredSku, skuSpec } from '../inventory/skus/stored-sku.ts';
import type { Foundation } from './foundation.ts';
import type { LateLinks } from './late-calls.ts';

export async function openBlobStore({ config, store, failedIn }: Foundation, lateLinks: LateLinks) {
  const blobs = await Blobs.open(store);
  const cache = await Cache.open(join(config.dataDir, 'served'));
  const packs = new PackStore({
    blobs,
    cache,
    limits: limitsOf(config.packLimit),
    skus: await store.collection<StoredSku>(skuSpec),
    definitions: await store.collection<PackDefinitions>(packDefinitionSpec),
    allowsCode: config.packCode,
    serve: lateLinks.to('servePack'),
    changed: lateLinks.to('packsChanged'),
    failed: failedIn('packs'),
  });

  const fileStore = new FileStore(await store.collection<StoredFile>(fileSpec), blobs, cache);
  const builtIn = await BuiltIn.open(fileStore);
  const rendering = new Rendering();

  async function referencedBlobs(): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { pack } of packs.all()) ids.add(pack.id);
    for await (const id of fileStore.referencedBlobs()) ids.add(id);
    return ids;
  }

  return {
    blobs,
    cache,
    packs,
    fileStore,
    builtIn,
    rendering,
    /** Deletes unreferenced blobs from this disk. */
    prune: () => cache.prune(referencedBlobs),
    /** Deletes unreferenced blobs from the store; only the lease holder calls it. */
    async sweep(): Promise<void> {
      await blobs.sweep(referencedBlobs);
      await packs.sweep((id) => blobs.has(id));
    },
    async close(): Promise<void> {
      await rendering.close();
      await cache.close();
    },
  };
}

export type Bytes = Awaited<ReturnType<typeof openBlobStore>>;
