/** The stored form of a SKU. */
import type { SkuRecord } from '../../api-port/skus.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
import type { Content } from '../files/blobs.ts';
import type { Roots } from '../packs/pack-config.ts';

export const skuSpec: CollectionSpec = {
  name: 'skus',
  indexes: { name: 'text', discoveryGraphName: 'text', createdAt: 'text', updatedAt: 'text', 'pack.id': 'text' },
  unique: ['name'],
};

/** Maximum number of SKUs: all rules are held in memory, and tested for each node. */
export const SKUS = 1_000;

/** A pack as its SKU refers to it: the content of its archive, and the settings of its config.json. */
export interface StoredPack extends Content {
  roots: Roots;
  /** Values of `{{ env.x }}` and `{{ sku.x }}` on its nodes. */
  skuConfig: Record<string, unknown>;
}

export interface StoredSku extends SkuRecord {
  pack?: StoredPack | null;
}
