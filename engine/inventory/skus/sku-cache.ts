/** Caches the SKUs in this process; they are read again when their generation has increased. */

import { batch } from '../../platform/lib/batch.ts';
import { pause } from '../../platform/lib/pause.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import type { Generation } from './generation.ts';
import { Rulebook, type SkuWithRules } from './rulebook.ts';
import type { StoredSku } from './stored-sku.ts';

export class SkuCache {
  readonly #stored: Collection<StoredSku>;
  readonly #generation: Generation;
  #read = -1;
  #book = new Rulebook([]);
  /** Concurrent requests share one read. */
  readonly #sharedLook = batch(async (callers: null[]) => {
    const book = await this.#look();
    return callers.map(() => book);
  });

  constructor(stored: Collection<StoredSku>, generation: Generation) {
    this.#stored = stored;
    this.#generation = generation;
  }

  /** Returns the rules, including all changes made before the call. */
  currentRulebook(): Promise<Rulebook> {
    return this.#sharedLook(null);
  }

  async #look(): Promise<Rulebook> {
    // Read before the SKUs: a change during their reading increases it, and they are read again.
    const { generation } = await this.#generation.read();
    if (generation === this.#read) return this.#book;
    const skus: SkuWithRules[] = [];
    // Only the fields for rules are kept in memory; the others may be long.
    for await (const { id, rules, createdAt } of pages(this.#stored, {})) {
      await pause();
      skus.push({ id, rules, createdAt });
    }
    this.#book = new Rulebook(skus);
    this.#read = generation;
    return this.#book;
  }
}
