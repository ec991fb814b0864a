/** Assembles the blob subsystem: blobs in the store, the cache on this disk, and everything built from both. */

import { Blobs } from '../files/blobs.ts';
import { BuiltIn } from '../files/built-in.ts';
import { Cache } from '../files/cache.ts';
import { FileStore, fileSpec, type StoredFile } from '../files/file-store.ts';
import { Rendering } from '../files/rendering.ts';
import { type PackDefinitions, packDefinitionSpec } from '../packs/pack-definitions.ts';
import { limitsOf } from '../packs/pack-limits.ts';
import { PackStore, type PackStorePort } from '../packs/pack-store.ts';
import { type StoredSku, skuSpec } from '../skus/stored-sku.ts';
import type { Store } from '../store/port.ts';

export interface BytesPort extends Pick<PackStorePort, 'serve' | 'changed' | 'failed' | 'allowsCode'> {
  store: Store;
  /** The cache of this daemon. */
  folder: string;
  /** Bytes. */
  packLimit: number;
}

export async function openBlobStore({ store, folder, packLimit, ...port }: BytesPort) {
  const blobs = await Blobs.open(store);
  const cache = await Cache.open(folder);
  const packs = new PackStore({
    ...port,
    blobs,
    cache,
    limits: limitsOf(packLimit),
    skus: await store.collection<StoredSku>(skuSpec),
    definitions: await store.collection<PackDefinitions>(packDefinitionSpec),
  });

  const fileStore = new FileStore({ blobs, cache, stored: await store.collection<StoredFile>(fileSpec) });
  const builtIn = await BuiltIn.open(fileStore);
  const rendering = new Rendering();

  async function referenced(): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { pack } of packs.all()) ids.add(pack.id);
    for await (const id of fileStore.referenced()) ids.add(id);
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
    prune: () => cache.prune(referenced),
    /** Deletes unreferenced blobs from the store; only the lease holder calls it. */
    async sweep(): Promise<void> {
      await blobs.sweep(referenced);
      await packs.sweep((id) => blobs.has(id));
    },
    async close(): Promise<void> {
      await rendering.close();
      await cache.close();
    },
  };
}

export type Bytes = Awaited<ReturnType<typeof openBlobStore>>;
