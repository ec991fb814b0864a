/** A SKU as it is kept. */
import type { SkuRecord } from '../api-port/skus.ts';
import type { Content } from '../files/contents.ts';
import type { Roots } from '../packs/config.ts';
import type { CollectionSpec } from '../store/port.ts';

export const skuSpec: CollectionSpec = {
  name: 'skus',
  indexes: { name: 'text', discoveryGraphName: 'text', createdAt: 'text', updatedAt: 'text', 'pack.id': 'text' },
  unique: ['name'],
};

/** How many there may be: the rules of all are held in memory, and put to each node. */
export const SKUS = 1_000;

/** A pack as its SKU refers to it: the content of its archive, and what its config.json says. */
export interface StoredPack extends Content {
  roots: Roots;
  /** What `{{ env.x }}` and `{{ sku.x }}` find on its nodes. */
  skuConfig: Record<string, unknown>;
}

export interface StoredSku extends SkuRecord {
  pack?: StoredPack | null;
}
