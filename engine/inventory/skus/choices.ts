/**
 * The SKUs that nodes should have by their latest catalogs and the current SKUs, for one classification of a few nodes.
 *
 * 1. Catalogs are read for a few nodes at a time, and only those that a rule refers to.
 * 2. A node with the same latest catalogs and the same SKUs as before gets the same result: its catalogs, which never
 *    change, are not read again.
 */
import type { Rulebook } from './rulebook.ts';
import type { SkuCache } from './sku-cache.ts';
import type { SkusPort } from './skus-port.ts';

/** Limit of catalogs held in memory; some are megabytes long. */
const CATALOGS_IN_MEMORY = 100;

export type ReadCatalogs = Pick<SkusPort['catalogs'], 'latestIds' | 'dataIn'>;

interface Choice {
  book: Rulebook;
  catalogs: string;
  sku: string | null;
}

export class Choices {
  readonly #catalogs: ReadCatalogs;
  readonly #cache: SkuCache;
  readonly #last = new Map<string, Choice>();

  constructor(catalogs: ReadCatalogs, cache: SkuCache) {
    this.#catalogs = catalogs;
    this.#cache = cache;
  }

  /** @returns a function from the id of each of these nodes to the SKU that it should have */
  async of(nodes: readonly string[]): Promise<(node: string) => string | null> {
    const book = await this.#cache.currentRulebook();
    if (book.size === 0) return () => null;
    const latest = await this.#catalogs.latestIds(nodes, book.sources);
    const open = [...latest].filter(([node, ids]) => {
      const last = this.#last.get(node);
      return last?.book !== book || last.catalogs !== keyOf(ids);
    });
    const group = Math.max(1, Math.floor(CATALOGS_IN_MEMORY / book.sources.length));
    for (let from = 0; from < open.length; from += group) {
      await this.#choose(new Map(open.slice(from, from + group)), book);
    }
    return (node) => this.#last.get(node)?.sku ?? null;
  }

  async #choose(latest: ReadonlyMap<string, string[]>, book: Rulebook): Promise<void> {
    const data = await this.#catalogs.dataIn(latest);
    const choose = async ([node, ids]: [string, string[]]) => {
      const sku = await book.choose(data.get(node) ?? new Map());
      this.#last.set(node, { book, catalogs: keyOf(ids), sku });
    };
    await Promise.all([...latest].map(choose));
  }
}

const keyOf = (ids: readonly string[]): string => ids.toSorted().join(' ');
