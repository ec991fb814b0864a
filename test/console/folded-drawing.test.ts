/** The layout of drawings in rows: folded levels, groups beside each other, and whole graphs. */
import test from 'ava';
import type { ELK } from 'elkjs/lib/elk-api.js';
import { type GraphBox, graphLayout } from '../../api/client/graph-layout.ts';
import { straightArrow } from '../../api/console/parts/graph/direct-arrows.ts';
import { foldedLevel, type Rectangle } from '../../api/console/parts/graph/folded-level.ts';
import { groupPlaces, joinedGroups } from '../../api/console/parts/graph/level-groups.ts';
import { rowLayout } from '../../api/console/parts/graph/row-layout.ts';
import type { MachineView, StateView } from '../../engine/vocabulary/machine-shape.ts';

const box = (x: number, y = 0, width = 100, height = 60): Rectangle => ({ x, y, width, height });
const arrow = (source: string, target: string) => ({
  id: `${source} ${target}`,
  source,
  target,
  sections: [{ id: 's', startPoint: { x: 1, y: 1 }, endPoint: { x: 2, y: 2 } }],
  labels: [{ text: 'done', width: 30, height: 18 }],
});
const chain = new Map(['a', 'b', 'c', 'd', 'e'].map((id, index) => [id, box(index * 150)]));

test('a level that is wider than its row folds: each row begins at the left, below the one before', (t) => {
  const { boxes, arrows } = foldedLevel({ boxes: chain, arrows: [arrow('a', 'b'), arrow('b', 'c')] }, 300);
  const [a, b, c, d, e] = [...boxes.values()];
  t.is(a?.x, c?.x);
  t.is(a?.x, e?.x);
  t.is(a?.y, b?.y);
  t.true((c?.y ?? 0) >= (a?.y ?? 0) + 60 && (e?.y ?? 0) >= (d?.y ?? 0) + 60);
  const [within, between] = arrows;
  t.is(within?.sections[0]?.bendPoints?.length ?? 0, 0);
  const { startPoint, endPoint, bendPoints = [] } = between?.sections[0] ?? {};
  t.deepEqual(startPoint, { x: (b?.x ?? 0) + 100, y: (b?.y ?? 0) + 30 });
  t.deepEqual(endPoint, { x: c?.x ?? 0, y: (c?.y ?? 0) + 30 });
  const lane = bendPoints[1]?.y ?? 0;
  t.true(lane > (b?.y ?? 0) + 60 && lane < (c?.y ?? 0), 'it runs between the rows');
});

test('an arrow back to an earlier row, or past a row, runs beside them', (t) => {
  const { boxes, arrows } = foldedLevel({ boxes: chain, arrows: [arrow('e', 'a'), arrow('a', 'e')] }, 300);
  for (const { sections } of arrows) {
    const bends = sections[0]?.bendPoints ?? [];
    t.is(bends.length, 6);
    t.true(bends.some(({ x }) => [...boxes.values()].every((one) => x < one.x)));
    t.true(bends.every(({ x, y }) => x >= 0 && y >= 0));
  }
});

test('a level that has room stays as it is', (t) => {
  const level = { boxes: chain, arrows: [arrow('a', 'b')] };
  t.deepEqual(foldedLevel(level, 700), level);
});

test('boxes that arrows join are one group, and groups are placed beside each other while there is room', (t) => {
  const edges = [
    { sources: ['a'], targets: ['c'] },
    { sources: ['d'], targets: ['c'] },
  ];
  t.deepEqual(joinedGroups(['a', 'b', 'c', 'd'], edges), [['a', 'c', 'd'], ['b']]);
  const extent = (width: number, height: number) => ({ width, height, lastRow: { right: width, height } });
  t.deepEqual(groupPlaces([extent(100, 50), extent(100, 80), extent(200, 50)], 300), [
    { x: 0, y: 0 },
    { x: 148, y: 0 },
    { x: 0, y: 112 },
  ]);
  const folded = { width: 300, height: 200, lastRow: { right: 50, height: 40 } };
  t.deepEqual(groupPlaces([folded, extent(100, 30)], 300)[1], { x: 98, y: 160 }, 'at the end of its last row');
});

test('a straight arrow joins the sides that look at each other', (t) => {
  const boxes = new Map([
    ['a', box(0)],
    ['b', box(300, 200)],
  ]);
  const plain = { id: 'x', sources: ['a'], targets: ['b'], text: '', onError: true, isFailure: true, prefix: '' };
  const [section] = straightArrow({ ...plain, labels: [] }, boxes).sections ?? [];
  t.deepEqual(
    [section?.startPoint, section?.endPoint],
    [
      { x: 50, y: 60 },
      { x: 350, y: 200 },
    ],
  );
});

const state = (path: string[], targets: string[] = [], more: Partial<StateView> = {}): StateView => ({
  path,
  type: 'atomic',
  initial: null,
  tags: [],
  invokes: [],
  transitions: targets.length > 0 ? [{ event: 'NEXT', targets, guard: null }] : [],
  states: [],
  ...more,
});
const steps = (path: string[], count: number): StateView[] =>
  Array.from({ length: count }, (_, index) =>
    state([...path, `s${index}`], index + 1 < count ? [[...path, `s${index + 1}`].join('.')] : []),
  );
const machine: MachineView = {
  graph: 'Graph.X',
  definitionHash: 'h',
  kind: 'machine',
  tasks: [],
  root: state([], [], {
    type: 'compound',
    initial: 'work',
    states: [
      state(['work'], ['end'], {
        type: 'parallel',
        states: [
          state(['work', 'left'], [], { type: 'compound', initial: 's0', states: steps(['work', 'left'], 12) }),
          state(['work', 'right'], [], { type: 'compound', initial: 's0', states: steps(['work', 'right'], 2) }),
          state(['work', 'third'], [], { type: 'compound', initial: 's0', states: steps(['work', 'third'], 2) }),
        ],
      }),
      state(['end'], [], { type: 'final' }),
      state(['failed'], [], { type: 'final', tags: ['failed'] }),
    ],
  }),
};

async function inRows(view: MachineView, width: number) {
  const { default: Elk } = (await import('elkjs/lib/elk.bundled.js')) as unknown as { default: new () => ELK };
  const elk = new Elk();
  const form = { stateWidth: 26, direction: 'RIGHT' } as const;
  return await rowLayout(graphLayout(view, form), (level) => elk.layout(level), width);
}

test('a whole graph is as wide as its rows, no box covers another, and children lie in their parent', async (t) => {
  const graph = await inRows(machine, 900);
  t.true((graph.width ?? 0) <= 1_000, `${graph.width} px`);
  const check = (boxes: readonly GraphBox[], parent: Rectangle) => {
    const places = boxes.map(({ x = 0, y = 0, width = 0, height = 0 }) => ({ x, y, width, height }));
    for (const [index, one] of places.entries()) {
      t.true(one.x >= parent.x && one.x + one.width <= parent.x + parent.width);
      t.true(one.y >= parent.y && one.y + one.height <= parent.y + parent.height);
      for (const other of places.slice(index + 1))
        t.true(
          one.x + one.width <= other.x ||
            other.x + other.width <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y,
        );
      check(boxes[index]?.children ?? [], one);
    }
  };
  check(graph.children, box(0, 0, graph.width, graph.height));
  t.true(graph.edges.every(({ sections = [] }) => sections.length > 0));
  const regions = graph.children.find(({ id }) => id === 'work')?.children ?? [];
  const [, right, third] = regions;
  t.is(right?.y, third?.y, 'small regions are beside each other');
});

test('a chain of 200 tasks folds into rows that a page is wide enough for', async (t) => {
  const tasks = Array.from({ length: 200 }, (_, index) => ({
    label: `step-${index}`,
    taskName: 'Task.noop',
    waitsFor: index === 0 ? [] : [`step-${index - 1}`],
  }));
  const list: MachineView = { ...machine, kind: 'list', tasks };
  const graph = await inRows(list, 1_100);
  t.true((graph.width ?? 0) <= 1_200, `${graph.width} px`);
  t.true(new Set(graph.children.map(({ y }) => y)).size >= 30);
});
