/** Where a node is: its rack or enclosure, and its unit, which is a tag such as `u12`. */
import type { ListedNode } from './listed-node.ts';
import { listedNode } from './node-list.ts';

const UNIT = /^u\d+$/i;

/** `rack 12, u4`; '' if neither is known. */
export function placeOfNode({ relations, tags }: ListedNode): string {
  const [container] = relations
    .filter(({ relationType }) => relationType === 'containedBy' || relationType === 'enclosedBy')
    .flatMap(({ targets }) => targets);
  const unit = tags.find((tag) => UNIT.test(tag));
  return [container === undefined ? undefined : listedNode(container)?.name, unit].filter(Boolean).join(', ');
}
