/** Where a node is: its rack or enclosure, and its unit, which is a tag such as `u12`. */
import type { ListedNode } from './listed-node.ts';
import { listedNode } from './node-list.ts';

/** @returns its tag, such as `u12` */
export const unitOf = ({ tags }: Pick<ListedNode, 'tags'>): string | undefined =>
  tags.find((tag) => /^u\d+$/i.test(tag));

/** @returns the id of its rack or enclosure */
export const containerOf = ({ relations }: Pick<ListedNode, 'relations'>): string | undefined =>
  relations
    .filter(({ relationType }) => relationType === 'containedBy' || relationType === 'enclosedBy')
    .flatMap(({ targets }) => targets)[0];

/** `rack 12, u4`; '' if neither is known. */
export function placeOfNode({ relations, tags }: ListedNode): string {
  const container = containerOf({ relations });
  const unit = unitOf({ tags });
  return [container === undefined ? undefined : listedNode(container)?.name, unit].filter(Boolean).join(', ');
}
