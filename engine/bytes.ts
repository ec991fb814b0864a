/** Assembles the blob subsystem: blobs in the store, the cache on this disk, and everything built from both. */

import { BuiltIn } from './files/built-in.ts';
import { Cache } from './files/cache.ts';
import { Contents } from './files/contents.ts';
import { Rendering } from './files/rendering.ts';
import { fileSpec, Shelf, type StoredFile } from './files/shelf.ts';
import { type PackDefinitions, packDefinitionSpec } from './packs/definitions.ts';
import { limitsOf } from './packs/limits.ts';
import { Packs, type PacksPort } from './packs/packs.ts';
import { type StoredSku, skuSpec } from './skus/record.ts';
import type { Store } from './store/port.ts';

export interface BytesPort extends Pick<PacksPort, 'serve' | 'changed' | 'failed' | 'allowsCode'> {
  store: Store;
  /** The cache of this daemon. */
  folder: string;
  /** Bytes. */
  packLimit: number;
}

export async function openBytes({ store, folder, packLimit, ...port }: BytesPort) {
  const contents = await Contents.open(store);
  const cache = await Cache.open(folder);
  const packs = new Packs({
    ...port,
    ...{ contents, cache, limits: limitsOf(packLimit) },
    skus: await store.collection<StoredSku>(skuSpec),
    definitions: await store.collection<PackDefinitions>(packDefinitionSpec),
  });

  const shelf = new Shelf({ contents, cache, stored: await store.collection<StoredFile>(fileSpec) });
  const builtIn = await BuiltIn.open(shelf);
  const rendering = new Rendering();

  async function referred(): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { pack } of packs.all()) ids.add(pack.id);
    for await (const id of shelf.referred()) ids.add(id);
    return ids;
  }

  return {
    contents,
    cache,
    packs,
    shelf,
    builtIn,
    rendering,
    /** Deletes unreferenced blobs from this disk. */
    prune: () => cache.prune(referred),
    /** Deletes unreferenced blobs from the store; only the lease holder calls it. */
    async sweep(): Promise<void> {
      await contents.sweep(referred);
      await packs.sweep((id) => contents.has(id));
    },
    async close(): Promise<void> {
      await rendering.close();
      await cache.close();
    },
  };
}

export type Bytes = Awaited<ReturnType<typeof openBytes>>;
