/** The nodes that the filters of the list of nodes select. */
import { invalidInput } from '../vocabulary/errors.ts';
import type { NodeState, Nodes } from './nodes.ts';

/** Nodes of one request. */
export const NODES_PER_FILTER = 10_000;
const IDS_PER_PAGE = 1_000;

/** A filter that was checked, as `Nodes.list` takes it. */
export interface NodeQuery {
  filter: Record<string, unknown>;
  state: NodeState;
}

/** Returns the ids of the nodes. @param at path of the filter in the body @throws NodewrightError INVALID for too many */
export async function selectedNodes(nodes: Pick<Nodes, 'list'>, query: NodeQuery, at: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = { skip: ids.length, limit: IDS_PER_PAGE, filter: query.filter, fields: ['id'] };
    const { items, total } = await nodes.list(page, query.state);
    if (total > NODES_PER_FILTER)
      throw invalidInput(at, `matches ${total} nodes; expected at most ${NODES_PER_FILTER}`);
    ids.push(...items.map(({ id }) => id));
    if (items.length < IDS_PER_PAGE) return ids;
  }
}
