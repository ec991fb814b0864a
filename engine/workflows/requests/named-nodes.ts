/** Finds the nodes that a request names. */
import type { Nodes } from '../../api-port/nodes.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import { unknownNode } from './node-claim.ts';

export interface NamedNodesScope {
  nodes: Pick<Nodes, 'idOf'>;
  /** Returns those of the ids that nodes have. */
  existingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

const LOOKUPS_AT_A_TIME = 20;

/**
 * Returns the ids of nodes, each once, in the order of the request. @param names ids or identifiers @param path of the names in the request
 * @throws NodewrightError NOT_FOUND with the path of each unknown one
 */
export async function namedNodes(
  { nodes, existingIds }: NamedNodesScope,
  names: readonly string[],
  path: string,
): Promise<Set<string>> {
  const existing = await existingIds(names);
  const ids = new Map([...existing].map((id): [string, string | undefined] => [id, id]));
  const others = names.filter((name) => !ids.has(name));
  for (let from = 0; from < others.length; from += LOOKUPS_AT_A_TIME) {
    const some = others.slice(from, from + LOOKUPS_AT_A_TIME);
    const looked = await Promise.all(some.map((name) => nodes.idOf(name)));
    for (const [n, name] of some.entries()) ids.set(name, looked[n]);
  }
  const violations = names.flatMap((name, at) =>
    ids.get(name) === undefined ? [{ path: `${path}.${at}`, message: unknownNode(name).message }] : [],
  );
  const [first] = violations;
  if (first !== undefined) throw new NodewrightError('NOT_FOUND', first.message, { violations });
  return new Set(names.flatMap((name) => ids.get(name) ?? []));
}
