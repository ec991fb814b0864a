/** A node as lists have it. */
import type { Got } from '../../client/requests.ts';

export type WholeNode = Got<'/nodes'>[number];

export interface ListedNode
  extends Pick<WholeNode, 'id' | 'name' | 'type' | 'sku' | 'tags' | 'identifiers' | 'obms' | 'active' | 'updatedAt'> {
  /** In lower case: name, id, identifiers. */
  searched: string;
}
