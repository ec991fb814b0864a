/** The names of nodes of a site that is not served by a daemon. */
import type { Nodes } from '../../../engine/api-port/nodes.ts';
import type { NodeText } from '../node-names.ts';

const PAGE = 500;

/** Returns the name of a node, or its id if it has none. */
export async function siteNames(nodes: Pick<Nodes, 'list'>, ids: readonly string[]): Promise<NodeText> {
  const wanted = [...new Set(ids)];
  const names = new Map<string | null, string>();
  for (let from = 0; from < wanted.length; from += PAGE) {
    const filter = { id: { $in: wanted.slice(from, from + PAGE) } };
    const { items } = await nodes.list({ filter, skip: 0, limit: PAGE, fields: ['id', 'name'] });
    for (const { id, name } of items) names.set(id, name);
  }
  return (id) => names.get(id) ?? id;
}
