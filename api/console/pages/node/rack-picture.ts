/** The picture of a rack: its nodes in one column, by their units, enclosures around what they enclose, PDUs beside it with their lines. */

export interface RackNode {
  id: string;
  name: string;
  type: string;
  tags: readonly string[];
  relations: readonly { relationType: string; targets: readonly string[] }[];
  /** The workflow that holds it. */
  active: { name: string } | null;
}

export interface RackBox {
  node: RackNode;
  x: number;
  y: number;
  width: number;
  height: number;
  /** It has others in it. */
  isAround: boolean;
  /** Its height in the rack, from below. */
  unit: number | undefined;
}

export interface RackLine {
  from: string;
  to: string;
  /** Points of a line with two corners. */
  points: readonly (readonly [x: number, y: number])[];
}

export interface RackPicture {
  boxes: RackBox[];
  lines: RackLine[];
  width: number;
  height: number;
}

const UNIT = 26;
const GAP = 3;
const HEAD = 24;
const INSET = 8;
const WIDTH = 340;
const PDU = 130;
const GUTTER = 60;
/** Maximum depth of nested enclosures. */
const DEEPEST = 4;

const { compare } = new Intl.Collator(undefined, { numeric: true });

const targetsOf = ({ relations }: Pick<RackNode, 'relations'>, ...types: string[]): string[] =>
  relations.filter(({ relationType }) => types.includes(relationType)).flatMap(({ targets }) => targets);

/** By a tag such as `u12`; of several the lowest. */
function unitOf({ tags }: Pick<RackNode, 'tags'>): number | undefined {
  const units = tags.flatMap((tag) => /^u(\d{1,3})$/i.exec(tag)?.[1] ?? []).map(Number);
  return units.length === 0 ? undefined : Math.min(...units);
}

/** The nodes that are directly in a node. */
const partsOf = (node: Pick<RackNode, 'relations'>): string[] => targetsOf(node, 'contains', 'encloses');

/** @param top the outermost node @param nodesById the others, by id; one that is missing is left out */
export function rackPicture(top: RackNode, nodesById: ReadonlyMap<string, RackNode>): RackPicture {
  const boxes: RackBox[] = [];
  const inside = new Set<string>();
  const place = (node: RackNode, x: number, y: number, width: number, depth: number): number => {
    inside.add(node.id);
    const parts = childrenOf(node, nodesById).filter(({ id, type }) => !inside.has(id) && type !== 'pdu');
    const box = { node, x, y, width, height: UNIT, isAround: parts.length > 0, unit: unitOf(node) };
    boxes.push(box);
    if (parts.length === 0 || depth === DEEPEST) return y + UNIT;
    let next = y + HEAD;
    for (const part of parts) next = place(part, x + INSET, next, width - 2 * INSET, depth + 1) + GAP;
    box.height = next + INSET - GAP - y;
    return y + box.height;
  };
  const all = [top, ...nodesById.values()];
  const pdus = all
    .filter((node) => node.type === 'pdu' && node.id !== top.id)
    .toSorted((a, b) => compare(a.name, b.name));
  const rackX = pdus.length === 0 ? 0 : PDU + GUTTER;
  const bottom = place(top, rackX, 0, WIDTH, 0);
  const pduBoxes = pdus.map((node, index): RackBox => {
    const y = HEAD + index * (UNIT + 4 * GAP);
    return { node, x: 0, y, width: PDU, height: UNIT, isAround: false, unit: undefined };
  });
  const lines = pduBoxes.flatMap((pdu, index) => linesOf(pdu, index, boxes));
  const height = Math.max(bottom, ...pduBoxes.map(({ y }) => y + UNIT));
  return { boxes: [...boxes, ...pduBoxes], lines, width: rackX + WIDTH, height };
}

function childrenOf(node: RackNode, nodesById: ReadonlyMap<string, RackNode>): RackNode[] {
  const parts = partsOf(node)
    .map((id) => nodesById.get(id))
    .filter((part) => part !== undefined);
  // Without its unit a node is below those with one, and switches are on top.
  const heightOf = (part: RackNode) => unitOf(part) ?? (part.type === 'switch' || part.type === 'mgmt' ? 0 : -1);
  return parts.toSorted((a, b) => heightOf(b) - heightOf(a) || compare(a.name, b.name));
}

/** Each PDU has its own place in the gutter. */
function linesOf(pdu: RackBox, index: number, boxes: readonly RackBox[]): RackLine[] {
  const powered = new Set(targetsOf(pdu.node, 'powers'));
  const middle = ({ y }: RackBox) => y + UNIT / 2;
  const corner = pdu.width + 10 + ((index * 8) % (GUTTER - 20));
  return boxes
    .filter(({ node }) => powered.has(node.id))
    .map((box) => ({
      from: pdu.node.id,
      to: box.node.id,
      points: [
        [pdu.width, middle(pdu)],
        [corner, middle(pdu)],
        [corner, middle(box)],
        [box.x, middle(box)],
      ],
    }));
}
