/** The record of an image that the BMC of a node has, or may have. */
import type { CollectionSpec } from '../../platform/store/port.ts';

export const bootImageSpec: CollectionSpec = { name: 'bootimages', indexes: {} };

/** `id`: id of the node. */
export interface StoredBootImage {
  id: string;
  workflow: string;
  updatedAt: string;
}
