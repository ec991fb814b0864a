/** The graphs that are run, and how each is launched. */
import { graphMeta } from '../../engine/define/graph.ts';
import { includedGraphs } from '../support/data/catalogue.ts';
import type { StockOptions } from './conditions.ts';

export interface StockGraph {
  name: string;
  /** Options of its first example. */
  example: StockOptions;
}

/** The graphs that ship, by name. */
export const shippedGraphs = (): StockGraph[] =>
  includedGraphs
    .map(({ name, machine }) => ({ name, example: (graphMeta(machine)?.examples?.[0]?.options ?? {}) as StockOptions }))
    .sort((a, b) => a.name.localeCompare(b.name));
