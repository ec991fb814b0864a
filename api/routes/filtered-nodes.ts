/** The nodes that a filter in a body selects, by the filters of the list of nodes. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { type NodeQuery, selectedNodes } from '../../engine/api-port/node-query.ts';
import { type Check, queryCheck } from '../http/check.ts';
import { filterOf, filterParameters, splitFilters } from '../http/list-filter.ts';
import { nodeFilters, nodeStateOf, nodeStates } from './nodes.ts';

const filterSchema = Type.Object({ ...filterParameters(nodeFilters), ...nodeStates }, { additionalProperties: false });
const checkFilter: Check<typeof filterSchema> = queryCheck(filterSchema);

/** A query has only texts. */
const heldText = ({ held }: Record<string, unknown>) => (typeof held === 'boolean' ? { held: String(held) } : {});

/** @throws NodewrightError INVALID */
export function nodeQueryOf(filter: Record<string, string | boolean>): NodeQuery {
  const query: Record<string, unknown> = splitFilters({ ...filter, ...heldText(filter) }, nodeFilters);
  checkFilter(query);
  return { filter: filterOf(query, nodeFilters), state: nodeStateOf(query) };
}

/** @param at path of the filter in the body @throws NodewrightError INVALID, also for too many nodes */
export const nodesByFilter = (
  engine: Engine,
  filter: Record<string, string | boolean>,
  at = 'filter',
): Promise<string[]> => selectedNodes(engine.nodes, nodeQueryOf(filter), at);
