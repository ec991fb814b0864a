/** The enclosures and racks around a node. */
import type { ListedNode } from './listed-node.ts';

/** Containers around each other. */
const MOST_AROUND = 4;
const containers = ['containedBy', 'enclosedBy'];

type EnclosedNode = Pick<ListedNode, 'id' | 'relations'>;

/** The innermost first. */
export function outerNodes<T extends EnclosedNode>(node: T, byId: ReadonlyMap<string, T>): T[] {
  const around: T[] = [];
  for (let inner = node; around.length < MOST_AROUND; ) {
    const relation = inner.relations.find(({ relationType }) => containers.includes(relationType));
    const outer = byId.get(relation?.targets[0] ?? '');
    if (outer === undefined) break;
    around.push(outer);
    inner = outer;
  }
  return around;
}
