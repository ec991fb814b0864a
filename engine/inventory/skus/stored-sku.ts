/** The stored form of a SKU. */
import type { SkuRecord } from '../../api-port/skus.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';

export const skuSpec: CollectionSpec = {
  name: 'skus',
  indexes: { name: 'text', discoveryGraphName: 'text', createdAt: 'text', updatedAt: 'text', 'pack.id': 'text' },
  unique: ['name'],
};

/** Maximum number of SKUs: all rules are held in memory, and tested for each node. */
export const SKUS = 1_000;

/** Identification and checksums of stored bytes. */
export interface Content {
  id: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  md5: string;
  sha256: string;
}

/** Folders of the archive of a pack, normalized; null: the pack has none of the kind. The empty string is the archive's root. */
export interface Roots {
  static: string | null;
  templates: string | null;
  profiles: string | null;
  workflows: string | null;
  tasks: string | null;
}

/** A pack as its SKU refers to it: the content of its archive, and the settings of its config.json. */
export interface StoredPack extends Content {
  roots: Roots;
  /** Values of `{{ env.x }}` and `{{ sku.x }}` on its nodes. */
  skuConfig: Record<string, unknown>;
}

export interface StoredSku extends SkuRecord {
  pack?: StoredPack | null;
}
