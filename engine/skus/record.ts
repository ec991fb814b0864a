/** A SKU as it is kept. */
import type { SkuRecord } from '../api-port/skus.ts';
import type { CollectionSpec } from '../store/port.ts';

export const skuSpec: CollectionSpec = {
  name: 'skus',
  indexes: { name: 'text', discoveryGraphName: 'text', createdAt: 'text', updatedAt: 'text' },
  unique: ['name'],
};

/** How many there may be: the rules of all are held in memory, and put to each node. */
export const SKUS = 1_000;

export type StoredSku = SkuRecord;
