/** Finds the nodes that a request names. */
import type { Nodes } from '../../api-port/nodes.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { unknownNode } from './node-claim.ts';

export interface NamedNodesScope {
  nodes: Pick<Nodes, 'idOf' | 'ownedBy'>;
  /** Returns those of the ids that nodes have. */
  existingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

const LOOKUPS_AT_A_TIME = 20;

/**
 * Returns the ids of nodes, each once, in the order of the request. @param names ids or identifiers @param path of the names in the request
 * @param team that of the member who asks: other nodes are unknown; absent: the whole site
 * @throws NodewrightError NOT_FOUND with the path of each unknown one
 */
export async function namedNodes(
  { nodes, existingIds }: NamedNodesScope,
  names: readonly string[],
  path: string,
  team?: string,
): Promise<Set<string>> {
  const within = (some: readonly string[]) => (team === undefined ? existingIds(some) : nodes.ownedBy([team], some));
  const existing = await within(names);
  const ids = new Map([...existing].map((id): [string, string | undefined] => [id, id]));
  const others = names.filter((name) => !ids.has(name));
  for (let from = 0; from < others.length; from += LOOKUPS_AT_A_TIME) {
    const some = others.slice(from, from + LOOKUPS_AT_A_TIME);
    const looked = await Promise.all(some.map((name) => nodes.idOf(name)));
    const reached = team === undefined ? undefined : await within(looked.flatMap((id) => id ?? []));
    for (const [n, name] of some.entries()) {
      const id = looked[n];
      ids.set(name, id === undefined || reached?.has(id) === false ? undefined : id);
    }
  }
  const violations = names.flatMap((name, at) =>
    ids.get(name) === undefined ? [{ path: `${path}.${at}`, message: unknownNode(name).message }] : [],
  );
  const [first] = violations;
  if (first !== undefined) throw new NodewrightError('NOT_FOUND', first.message, { violations });
  return new Set(names.flatMap((name) => ids.get(name) ?? []));
}
