/** A store in memory for tests that need no database: the documents of a virtual world, reached without a delay or a fault. */

import { MemoryDocuments, type StoreLink } from '../../../engine/assembly/virtual/memory-store.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../../engine/platform/store/port.ts';

const direct: StoreLink = {
  call: async (_, apply) => apply(),
  change: async (_, apply) => apply(),
  changeEach: async (_, changes, apply) => apply(changes),
};

export class MemoryStore implements Store {
  readonly #store = new MemoryDocuments().through(direct);

  collection<T extends Document>(spec: CollectionSpec): Promise<Collection<T>> {
    return this.#store.collection<T>(spec);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
