/** The nodes that a filter in a body selects, by the filters of the list of nodes. */
import type { Engine } from '../../engine/api-port/index.ts';
import { nodeQueryOf } from '../../engine/api-port/node-filters.ts';
import { selectedNodes } from '../../engine/api-port/node-query.ts';

/** @param at path of the filter in the body @throws NodewrightError INVALID, also for too many nodes */
export const nodesByFilter = (
  engine: Engine,
  filter: Record<string, string | boolean>,
  at = 'filter',
): Promise<string[]> => selectedNodes(engine.nodes, nodeQueryOf(filter), at);
