/** Arrows that are drawn straight from box to box, without a room of their own. */
import type { ElkLabel } from 'elkjs/lib/elk-api.js';
import type { GraphArrow } from '../../../client/graph-layout.ts';
import type { Rectangle } from './folded-level.ts';

/** px */
const GAP = 6;

/** @returns the arrow between the nearest sides of its boxes, with its text at its beginning */
export function straightArrow(arrow: GraphArrow, boxes: ReadonlyMap<string, Rectangle>): GraphArrow {
  const { id, sources, targets, labels = [] } = arrow;
  const [source, target] = [boxes.get(sources[0] ?? ''), boxes.get(targets[0] ?? '')];
  if (source === undefined || target === undefined) return arrow;
  const startPoint = sideTowards(source, target);
  const endPoint = sideTowards(target, source);
  return {
    ...arrow,
    sections: [{ id: `${id} straight`, startPoint, endPoint }],
    labels: labels.map((label) => ({ ...label, ...besideStart(label, startPoint, source) })),
  };
}

/** The texts of other arrows are below a line, or at its right. */
function besideStart({ width = 0, height = 0 }: ElkLabel, { x, y }: { x: number; y: number }, source: Rectangle) {
  if (x === source.x + source.width) return { x: x + GAP, y: y - height - GAP / 2 };
  return { x: x - width - GAP, y: y > source.y ? y + GAP / 2 : y - height - GAP / 2 };
}

/** The middle of the side that looks to the other box. */
function sideTowards({ x, y, width, height }: Rectangle, other: Rectangle): { x: number; y: number } {
  const middle = { x: x + width / 2, y: y + height / 2 };
  if (other.y >= y + height) return { x: middle.x, y: y + height };
  if (other.y + other.height <= y) return { x: middle.x, y };
  return { x: other.x >= middle.x ? x + width : x, y: middle.y };
}
