/** The nodes that a filter in a body selects, by the filters of the list of nodes. */
import type { Engine } from '../../engine/api-port/index.ts';
import { nodeQueryOf } from '../../engine/api-port/node-filters.ts';
import { selectedNodes } from '../../engine/api-port/node-query.ts';
import { narrowedPage, wholePage } from '../http/list.ts';

/** @param at path of the filter in the body @param team only its nodes; undefined: all @throws NodewrightError INVALID, also for too many nodes */
export const nodesByFilter = (
  engine: Engine,
  filter: Record<string, string | boolean>,
  at = 'filter',
  team?: string,
): Promise<string[]> => {
  const query = nodeQueryOf(filter);
  if (team === undefined) return selectedNodes(engine.nodes, query, at);
  const owned = narrowedPage(wholePage(query.filter), { owner: team });
  return selectedNodes(engine.nodes, { ...query, filter: owned.filter }, at);
};
