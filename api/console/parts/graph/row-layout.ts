/**
 * The layout of a graph for reading: each state within its parent, in rows from left to right. Paths of failures and arrows
 * across the edges of states are drawn straight, so that they move no box.
 */
import type { ElkExtendedEdge, ElkNode, ElkShape } from 'elkjs/lib/elk-api.js';
import { type GraphArrow, type GraphBox, type GraphLayout, LINE, MARGIN } from '../../../client/graph-layout.ts';
import { straightArrow } from './direct-arrows.ts';
import { type DrawnLevel, foldedLevel, type LevelArrow, movedArrow, movedBy, type Rectangle } from './folded-level.ts';
import { groupPlaces, joinedGroups } from './level-groups.ts';

/** Lays out boxes of one level and the arrows between them. */
type LevelLayout = (level: ElkNode) => Promise<ElkNode>;

interface PlacedLevel {
  boxes: GraphBox[];
  arrows: LevelArrow[];
  width: number;
  height: number;
}

/** px; the point at which a state is entered needs less. */
const NARROWEST = 260;

/** @param width px that a row may have */
export async function rowLayout(graph: GraphLayout, layout: LevelLayout, width: number): Promise<GraphLayout> {
  const placed = await placedLevel(graph.children, { graph, layout }, width);
  const boxes = new Map(placed.boxes.flatMap(allIn).map((box) => [box.id, box as Rectangle]));
  const routes = new Map(placed.arrows.map((arrow) => [arrow.id, arrow]));
  const edges = graph.edges.map((arrow): GraphArrow => {
    const route = routes.get(arrow.id);
    return route === undefined
      ? straightArrow(arrow, boxes)
      : { ...arrow, sections: [...route.sections], labels: [...route.labels] };
  });
  return { ...graph, children: placed.boxes, edges, width: placed.width, height: placed.height };
}

const allIn = (box: GraphBox): GraphBox[] => [box, ...(box.children ?? []).flatMap(allIn)];

interface WholeGraph {
  graph: GraphLayout;
  layout: LevelLayout;
}

async function placedLevel(boxes: readonly GraphBox[], whole: WholeGraph, width: number): Promise<PlacedLevel> {
  const inner = await Promise.all(boxes.map((box) => placedWithin(box, whole, width - 2 * MARGIN)));
  const sized = boxes.map((box, index) => ({ ...box, ...sizeOf(box, inner[index]) }));
  const owners = new Map(boxes.flatMap((box) => allIn(box).map(({ id }) => [id, box.id] as const)));
  const edges = edgesBetween(whole.graph.edges, owners);
  const room = Math.max(NARROWEST, width);
  const groups = await Promise.all(
    joinedGroups(
      boxes.map(({ id }) => id),
      edges,
    ).map((ids) => {
      const inGroup = new Set(ids);
      return laidOutGroup(
        sized.filter(({ id }) => inGroup.has(id)),
        edges.filter(({ sources: [source = ''] }) => inGroup.has(source)),
        whole,
        room,
      );
    }),
  );
  const folded = besideEachOther(groups, room);
  const isExact = exactIds(whole.graph.edges);
  const arrows = folded.arrows.filter(({ id, source, target }) => isExact(id, source, target));
  const placed = sized.map((box, index) => {
    const { x = 0, y = 0 } = folded.boxes.get(box.id) ?? {};
    const content = inner[index];
    if (content === undefined) return { box: { ...box, x, y }, arrows: [] };
    const by = { x: x + MARGIN, y: y + topOf(box) };
    return {
      box: { ...box, x, y, children: content.boxes.map((child) => movedBox(child, by)) },
      arrows: content.arrows.map((arrow) => movedArrow(arrow, by)),
    };
  });
  return {
    boxes: placed.map(({ box }) => box),
    arrows: [...arrows, ...placed.flatMap((part) => part.arrows)],
    ...extentOf(folded.boxes, folded.arrows),
  };
}

async function laidOutGroup(
  boxes: readonly GraphBox[],
  edges: ElkExtendedEdge[],
  { graph, layout }: WholeGraph,
  width: number,
): Promise<DrawnLevel> {
  const laid = await layout({
    id: 'level',
    layoutOptions: { ...graph.layoutOptions, ...levelOptions },
    children: boxes.map((box) => ({ id: box.id, width: box.width ?? 0, height: box.height ?? 0 })),
    edges,
  });
  const level = {
    boxes: new Map((laid.children ?? []).map((child) => [child.id, rectangleOf(child)])),
    arrows: (laid.edges ?? []).map(({ id, sources: [source = ''], targets: [target = ''], sections, labels }) => ({
      id,
      source,
      target,
      sections: sections ?? [],
      labels: labels ?? [],
    })),
  };
  return foldedLevel(level, width);
}

function besideEachOther(groups: readonly DrawnLevel[], width: number): DrawnLevel {
  const extents = groups.map(({ boxes, arrows }) => {
    const extent = extentOf(boxes, arrows);
    const lowest = Math.max(...[...boxes.values()].map(({ y, height }) => y + height));
    const last = [...boxes.values()].filter(({ y, height }) => y + height > lowest - LINE);
    const top = Math.min(...last.map(({ y }) => y));
    const row = [...boxes.values()].filter(({ y, height }) => y + height > top);
    return {
      ...extent,
      lastRow: { right: Math.max(...row.map(({ x, width: boxWidth }) => x + boxWidth)), height: extent.height - top },
    };
  });
  const places = groupPlaces(extents, width);
  return {
    boxes: new Map(
      groups.flatMap(({ boxes }, index) =>
        [...boxes].map(([id, box]) => [id, movedBy(box, places[index] ?? ORIGIN)] as const),
      ),
    ),
    arrows: groups.flatMap(({ arrows }, index) => arrows.map((arrow) => movedArrow(arrow, places[index] ?? ORIGIN))),
  };
}

const ORIGIN = { x: 0, y: 0 };

const placedWithin = async ({ children = [] }: GraphBox, whole: WholeGraph, width: number) =>
  children.length === 0 ? undefined : await placedLevel(children, whole, width);

const levelOptions = {
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
};

/** Arrows between the boxes of a level or between states in them, which order its boxes. */
const edgesBetween = (arrows: readonly GraphArrow[], owners: ReadonlyMap<string, string>): ElkExtendedEdge[] =>
  arrows.flatMap(({ id, sources: [from = ''], targets: [to = ''], isFailure, labels = [] }) => {
    const [source, target] = [owners.get(from), owners.get(to)];
    if (isFailure || source === undefined || target === undefined) return [];
    if (source === target && (from !== source || to !== target)) return [];
    return [{ id, sources: [source], targets: [target], labels: labels.map((label) => ({ ...label })) }];
  });

function exactIds(arrows: readonly GraphArrow[]) {
  const ends = new Map(arrows.map(({ id, sources: [from], targets: [to] }) => [id, { from, to }]));
  return (id: string, source: string, target: string) => ends.get(id)?.from === source && ends.get(id)?.to === target;
}

const topOf = ({ lines }: GraphBox): number => MARGIN + lines.length * LINE;

function sizeOf(box: GraphBox, content: PlacedLevel | undefined): { width: number; height: number } {
  const { width = 0, height = 0 } = box;
  if (content === undefined) return { width, height };
  return {
    width: Math.max(width, content.width + 2 * MARGIN),
    height: Math.max(height, topOf(box) + content.height + MARGIN),
  };
}

/** The place of a box, or of a text. */
const rectangleOf = ({ x = 0, y = 0, width = 0, height = 0 }: ElkShape): Rectangle => ({ x, y, width, height });

const movedBox = (box: GraphBox, by: { x: number; y: number }): GraphBox => ({
  ...movedBy(box, by),
  ...(box.children && { children: box.children.map((child) => movedBox(child, by)) }),
});

function extentOf(boxes: ReadonlyMap<string, Rectangle>, arrows: readonly LevelArrow[]) {
  const labels = arrows.flatMap((arrow) => arrow.labels.map(rectangleOf));
  const points = arrows.flatMap(({ sections }) =>
    sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]),
  );
  const all = [...boxes.values(), ...labels, ...points.map(({ x, y }) => ({ x, y, width: 0, height: 0 }))];
  return {
    width: all.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    height: all.reduce((most, { y, height }) => Math.max(most, y + height), 0),
  };
}
