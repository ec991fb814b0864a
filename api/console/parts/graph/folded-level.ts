/**
 * Folds one level of a drawing, which ELK has laid out as one long row, into rows that run from left to right, one below
 * the other. Arrows from row to row run through the room between them. ELK itself wraps rows to a ratio of width and height, and the
 * width is what the page has.
 */
import type { ElkEdgeSection, ElkLabel } from 'elkjs/lib/elk-api.js';
import { LINE } from '../../../client/graph-layout.ts';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface LevelArrow {
  id: string;
  source: string;
  target: string;
  sections: readonly ElkEdgeSection[];
  labels: readonly ElkLabel[];
}

export interface DrawnLevel {
  boxes: ReadonlyMap<string, Rectangle>;
  arrows: readonly LevelArrow[];
}

/** px */
const CHANNEL = 24;
const ROOM = 20;
/** For the texts of straight arrows, below their boxes. */
const FREE = 16;
const LEFT = 28;
const ELBOW = 14;

interface Row {
  boxes: Map<string, Rectangle>;
  /** px, of its boxes */
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Place {
  row: number;
  /** As far as the boxes above and below it reach. */
  left: number;
  right: number;
}

/** @param width px that a row may have; a box that is wider has a row of its own */
export function foldedLevel({ boxes, arrows }: DrawnLevel, width: number): DrawnLevel {
  const layers = layersOf(boxes);
  const rows = rowsOf(layers, width);
  if (rows.length < 2) return { boxes, arrows };
  const places = placesIn(rows, layers);
  const rowOf = (id: string) => places.get(id)?.row ?? 0;
  for (const arrow of arrows) {
    const row = rows[rowOf(arrow.source)];
    if (row !== undefined && rowOf(arrow.target) === rowOf(arrow.source)) include(row, arrow);
  }
  const between = arrows.filter(({ source, target }) => rowOf(source) !== rowOf(target));
  const channels = channelsOf(between, rowOf, rows.length);
  const tops = topsOf(rows, channels);
  const shifts = rows.map((row, index) => ({ x: LEFT - row.left, y: (tops[index] ?? 0) - row.top }));
  const shiftOf = (id: string) => shifts[rowOf(id)] ?? { x: 0, y: 0 };
  const movedBoxes = new Map([...boxes].map(([id, box]) => [id, movedBy(box, shiftOf(id))] as const));
  const bottoms = rows.map((row, index) => (tops[index] ?? 0) + row.bottom - row.top);
  const channelY = (gutter: number, arrow: LevelArrow) =>
    (bottoms[gutter] ?? 0) + FREE + CHANNEL * (1 + (channels[gutter + 1] ?? []).indexOf(arrow));
  return {
    boxes: movedBoxes,
    arrows: arrows.map((arrow) => {
      const { source, target } = arrow;
      const [from, to] = [rowOf(source), rowOf(target)];
      if (from === to) return movedArrow(arrow, shiftOf(source));
      const [start, end] = [movedBoxes.get(source), movedBoxes.get(target)];
      if (start === undefined || end === undefined) return arrow;
      const turn = (places.get(source)?.right ?? 0) + shiftOf(source).x + ELBOW;
      const entry = (places.get(target)?.left ?? 0) + shiftOf(target).x - ELBOW;
      const [outY, inY] = [channelY(from, arrow), channelY(to - 1, arrow)];
      const [startY, endY] = [start.y + start.height / 2, end.y + end.height / 2];
      const aside = to === from + 1 ? [] : [point(ELBOW / 2, outY), point(ELBOW / 2, inY)];
      return {
        ...arrow,
        sections: [
          {
            id: `${arrow.id} folded`,
            startPoint: point(start.x + start.width, startY),
            bendPoints: [point(turn, startY), point(turn, outY), ...aside, point(entry, inY), point(entry, endY)],
            endPoint: point(end.x, endY),
          },
        ],
        labels: arrow.labels.map((label) => ({
          ...label,
          x: Math.max(LEFT, turn - (label.width ?? 0) - ELBOW / 2),
          y: outY - LINE,
        })),
      };
    }),
  };
}

const point = (x: number, y: number) => ({ x, y });

export const movedBy = <T extends { x?: number; y?: number }>(one: T, { x, y }: { x: number; y: number }) => ({
  ...one,
  x: (one.x ?? 0) + x,
  y: (one.y ?? 0) + y,
});

export const movedArrow = <T extends Pick<LevelArrow, 'sections' | 'labels'>>(
  arrow: T,
  by: { x: number; y: number },
): T => ({
  ...arrow,
  sections: arrow.sections.map(({ id, startPoint, bendPoints = [], endPoint }) => ({
    id,
    startPoint: movedBy(startPoint, by),
    bendPoints: bendPoints.map((bend) => movedBy(bend, by)),
    endPoint: movedBy(endPoint, by),
  })),
  labels: arrow.labels.map((label) => movedBy(label, by)),
});

/** The boxes by columns: no box reaches from one into the next. */
function layersOf(boxes: DrawnLevel['boxes']): Row[] {
  const layers: Row[] = [];
  for (const [id, box] of [...boxes].toSorted(([, a], [, b]) => a.x - b.x)) {
    const last = layers.at(-1);
    const layer = rowWith(id, box);
    if (last === undefined || box.x >= last.right) layers.push(layer);
    else layers[layers.length - 1] = joinedRows(last, layer);
  }
  return layers;
}

function rowsOf(layers: readonly Row[], width: number): Row[] {
  const rows: Row[] = [];
  for (const layer of layers) {
    const last = rows.at(-1);
    if (last === undefined || layer.right - last.left > width) rows.push(layer);
    else rows[rows.length - 1] = joinedRows(last, layer);
  }
  return rows;
}

const rowWith = (id: string, box: Rectangle): Row => ({
  boxes: new Map([[id, box]]),
  left: box.x,
  right: box.x + box.width,
  top: box.y,
  bottom: box.y + box.height,
});

const joinedRows = (a: Row, b: Row): Row => ({
  boxes: new Map([...a.boxes, ...b.boxes]),
  left: Math.min(a.left, b.left),
  right: Math.max(a.right, b.right),
  top: Math.min(a.top, b.top),
  bottom: Math.max(a.bottom, b.bottom),
});

function placesIn(rows: readonly Row[], layers: readonly Row[]): Map<string, Place> {
  const rowNumbers = new Map(rows.flatMap(({ boxes }, row) => [...boxes.keys()].map((id) => [id, row] as const)));
  return new Map(
    layers.flatMap(({ boxes, left, right }) =>
      [...boxes.keys()].map((id) => [id, { row: rowNumbers.get(id) ?? 0, left, right }] as const),
    ),
  );
}

/** A row has room for the arrows within it. */
function include(row: Row, { sections, labels }: LevelArrow): void {
  const heights = [
    ...sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
      [startPoint, ...bendPoints, endPoint].map(({ y }) => y),
    ),
    ...labels.flatMap(({ y = 0, height = 0 }) => [y, y + height]),
  ];
  row.top = Math.min(row.top, ...heights);
  row.bottom = Math.max(row.bottom, ...heights);
}

/** The arrows in the room above each row, and at last, in that below them all. */
function channelsOf(between: readonly LevelArrow[], rowOf: (id: string) => number, count: number): LevelArrow[][] {
  const channels: LevelArrow[][] = Array.from({ length: count + 1 }, () => []);
  for (const arrow of between)
    for (const gutter of new Set([rowOf(arrow.source) + 1, rowOf(arrow.target)])) channels[gutter]?.push(arrow);
  return channels;
}

function topsOf(rows: readonly Row[], channels: readonly (readonly LevelArrow[])[]): number[] {
  let next = 0;
  return rows.map(({ top, bottom }, index) => {
    const count = channels[index]?.length ?? 0;
    const room = index === 0 && count === 0 ? 0 : FREE + ROOM + CHANNEL * count;
    const start = next + room;
    next = start + bottom - top;
    return start;
  });
}
