/** The boxes of a level that arrows join, and the places of such groups beside each other. */

interface Ends {
  sources: readonly string[];
  targets: readonly string[];
}

/** In the order of the first box of each. */
export function joinedGroups(ids: readonly string[], edges: readonly Ends[]): string[][] {
  const groups = new Map(ids.map((id) => [id, [id]]));
  for (const { sources, targets } of edges) {
    const [a, b] = [groups.get(sources[0] ?? ''), groups.get(targets[0] ?? '')];
    if (a === undefined || b === undefined || a === b) continue;
    a.push(...b);
    for (const id of b) groups.set(id, a);
  }
  const order = new Map(ids.map((id, index) => [id, index]));
  return [...new Set(groups.values())].map((group) =>
    group.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)),
  );
}

interface Extent {
  width: number;
  height: number;
  /** px at which the last row of the group ends, and how high that row is. */
  lastRow: { right: number; height: number };
}

/** px */
const APART = 48;
const BELOW = 32;

/**
 * @param width px that a row may have
 * @returns the top left of each group: at the end of the last row of those before it if there is room, else below them
 */
export function groupPlaces(groups: readonly Extent[], width: number): { x: number; y: number }[] {
  let row = { right: 0, top: 0, bottom: 0 };
  return groups.map(({ width: groupWidth, height, lastRow }, index) => {
    const isBeside = index > 0 && row.right + APART + groupWidth <= width;
    const x = isBeside ? row.right + APART : 0;
    const y = isBeside ? row.top : index === 0 ? 0 : row.bottom + BELOW;
    const isOneRow = lastRow.height >= height;
    row = {
      right: x + (isBeside || isOneRow ? groupWidth : lastRow.right),
      top: isBeside ? row.top : y + height - lastRow.height,
      bottom: Math.max(isBeside ? row.bottom : 0, y + height),
    };
    return { x, y };
  });
}
