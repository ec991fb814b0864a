/** The form of a row of the list of nodes, by its content. */
import type { ListedNode } from '../../data/listed-node.ts';

/** By the ids of the SKUs. */
export type NamesOfSkus = ReadonlyMap<string, string>;

/** px: racks and PDUs have one line of facts, and a workflow has a line of its own. */
export function nodeCardHeight({ model, active }: Pick<ListedNode, 'model' | 'active'>): number {
  if (active !== null) return 96;
  return model === undefined ? 56 : 80;
}

/** The SKU of a node says no more than its model. */
export const isNamedAsModel = ({ sku, model }: Pick<ListedNode, 'sku' | 'model'>, names: NamesOfSkus): boolean =>
  sku !== null && model !== undefined && names.get(sku) === model;
