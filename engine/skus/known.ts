/** The SKUs as this process knows them: read anew when their generation has grown. */
import { pause } from '../lib/pause.ts';
import type { UnsupportedPatterns } from '../patterns/unsupported.ts';
import { pages } from '../runtime/pages.ts';
import { batch } from '../store/batch.ts';
import type { Collection } from '../store/port.ts';
import type { Generation } from './generation.ts';
import type { StoredSku } from './record.ts';
import { Rulebook, type Ruled } from './rulebook.ts';
import { ruleFaults } from './rules.ts';

export class KnownSkus {
  readonly #stored: Collection<StoredSku>;
  readonly #generation: Generation;
  readonly #unsupported: UnsupportedPatterns;
  #read = -1;
  #book = new Rulebook([]);
  /** Asked for by many at once, it looks once. */
  readonly #asked = batch(async (asked: null[]) => {
    const book = await this.#look();
    return asked.map(() => book);
  });

  constructor(stored: Collection<StoredSku>, generation: Generation, unsupported: UnsupportedPatterns) {
    this.#stored = stored;
    this.#generation = generation;
    this.#unsupported = unsupported;
  }

  /** All changes that were made before this was called are in it. */
  current(): Promise<Rulebook> {
    return this.#asked(null);
  }

  async #look(): Promise<Rulebook> {
    // Before the SKUs: what changes while they are read makes it grow, and they are read once more.
    const { generation } = await this.#generation.read();
    if (generation === this.#read) return this.#book;
    const skus: Ruled[] = [];
    // What a SKU has besides may be long, and is not held for it.
    for await (const { id, rules, createdAt } of pages(this.#stored, {})) {
      await pause();
      this.#unsupported.check(id, ruleFaults(rules));
      skus.push({ id, rules, createdAt });
    }
    this.#book = new Rulebook(skus);
    this.#read = generation;
    return this.#book;
  }
}
