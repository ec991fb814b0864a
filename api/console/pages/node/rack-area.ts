/** Areas of the picture of a rack, and the servers in them. */
import type { RackBox } from './rack-picture.ts';

/** Coordinates of the picture. */
export interface RackArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** @returns the ids of the servers whose boxes the area touches */
export const serversIn = (boxes: readonly RackBox[], area: RackArea): string[] =>
  boxes.filter((box) => isServer(box) && touches(box, area)).map(({ node }) => node.id);

export const isServer = ({ node, isAround }: RackBox): boolean => node.type === 'compute' && !isAround;

const touches = (one: RackArea, other: RackArea): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

export type Point = Pick<RackArea, 'x' | 'y'>;

export const areaBetween = (one: Point, other: Point): RackArea => ({
  x: Math.min(one.x, other.x),
  y: Math.min(one.y, other.y),
  width: Math.abs(one.x - other.x),
  height: Math.abs(one.y - other.y),
});
