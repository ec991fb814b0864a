/** Servers by the rack that they are in, with the state of each that matters most. */
import type { ListedNode } from '../../data/listed-node.ts';

export interface RackRow {
  /** Id of the rack; '': the servers that are in none. */
  id: string;
  name: string;
  nodes: ListedNode[];
}

/** Containers around each other. */
const OUTER_CONTAINERS = 4;
const containers = ['containedBy', 'enclosedBy'];

export function rackRows(nodes: readonly ListedNode[]): RackRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rackOf = (node: ListedNode): ListedNode | undefined => {
    let top = node;
    for (let step = 0; step < OUTER_CONTAINERS; step += 1) {
      const relation = top.relations.find(({ relationType }) => containers.includes(relationType));
      const outer = byId.get(relation?.targets[0] ?? '');
      if (outer === undefined) break;
      top = outer;
    }
    return top === node ? undefined : top;
  };
  const rows = new Map<string, RackRow>();
  for (const node of nodes.filter(({ type }) => type === 'compute')) {
    const { id = '', name = '' } = rackOf(node) ?? {};
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

export function stateOfServer({ health, held, active }: Pick<ListedNode, 'health' | 'held' | 'active'>): string {
  if (health === 'critical') return health;
  if (active !== null) return 'busy';
  if (held.length > 0) return 'held';
  return health === 'warning' ? health : 'free';
}
