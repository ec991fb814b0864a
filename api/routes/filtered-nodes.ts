/** The nodes that a filter in a body selects, by the filters of the list of nodes. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { type Check, queryCheck } from '../http/check.ts';
import { filterOf, filterParameters, splitFilters } from '../http/list-filter.ts';
import { nodeFilters, nodeStateOf, nodeStates } from './nodes.ts';

/** Nodes of one request. */
export const NODES_PER_FILTER = 10_000;
const IDS_PER_PAGE = 1_000;

const filterSchema = Type.Object({ ...filterParameters(nodeFilters), ...nodeStates }, { additionalProperties: false });
const checkFilter: Check<typeof filterSchema> = queryCheck(filterSchema);

/** A query has only texts. */
const heldText = ({ held }: Record<string, unknown>) => (typeof held === 'boolean' ? { held: String(held) } : {});

/** @param at path of the filter in the body @throws NodewrightError INVALID, also for too many nodes */
export async function nodesByFilter(
  engine: Engine,
  filter: Record<string, string | boolean>,
  at = 'filter',
): Promise<string[]> {
  const query: Record<string, unknown> = splitFilters({ ...filter, ...heldText(filter) }, nodeFilters);
  checkFilter(query);
  const nodeIds: string[] = [];
  for (;;) {
    const page = { skip: nodeIds.length, limit: IDS_PER_PAGE, filter: filterOf(query, nodeFilters), fields: ['id'] };
    const { items, total } = await engine.nodes.list(page, nodeStateOf(query));
    if (total > NODES_PER_FILTER)
      throw invalidInput(at, `matches ${total} nodes; expected at most ${NODES_PER_FILTER}`);
    nodeIds.push(...items.map(({ id }) => id));
    if (items.length < IDS_PER_PAGE) return nodeIds;
  }
}
