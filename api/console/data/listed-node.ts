/** A node as lists have it. */
import type { GetAnswer } from '../../client/requests.ts';

export type WholeNode = GetAnswer<'/nodes'>[number];

export interface ListedNode
  extends Pick<
    WholeNode,
    | 'id'
    | 'name'
    | 'type'
    | 'sku'
    | 'tags'
    | 'identifiers'
    | 'obms'
    | 'relations'
    | 'active'
    | 'health'
    | 'burnIn'
    | 'held'
    | 'vendor'
    | 'model'
    | 'serial'
    | 'bmcAddress'
    | 'power'
    | 'updatedAt'
  > {
  /** In lower case: name, id, serial number, model, identifiers. */
  searched: string;
  /** Its last workflow of a day failed. */
  hasFailed?: true;
}
