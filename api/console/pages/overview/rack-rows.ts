/** Servers by the rack that they are in. */
import type { ListedNode } from '../../data/listed-node.ts';
import { outerNodes } from '../../data/outer-nodes.ts';

export interface RackRow {
  /** Id of the rack; '': the servers that are in none. */
  id: string;
  name: string;
  nodes: ListedNode[];
}

export function rackRows(nodes: readonly ListedNode[]): RackRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = new Map<string, RackRow>();
  for (const node of nodes.filter(({ type }) => type === 'compute')) {
    const { id = '', name = '' } = outerNodes(node, byId).at(-1) ?? {};
    const row = rows.get(id) ?? { id, name, nodes: [] };
    row.nodes.push(node);
    rows.set(id, row);
  }
  const byName = (one: { name: string }, other: { name: string }) =>
    one.name.localeCompare(other.name, undefined, { numeric: true });
  for (const row of rows.values()) row.nodes.sort(byName);
  // Those in no rack come last.
  return [...rows.values()].sort((one, other) => Number(one.id === '') - Number(other.id === '') || byName(one, other));
}
