/** The pure parts of drawn graphs: boxes and arrows, active states, and the window on a drawing. */
import test from 'ava';
import fc from 'fast-check';
import { type GraphBox, graphLayout } from '../../api/client/graph-layout.ts';
import { activeStates } from '../../api/console/parts/graph/active-states.ts';
import { itemsOf } from '../../api/console/parts/graph/drawn-items.ts';
import { drawnParts } from '../../api/console/parts/graph/drawn-parts.ts';
import { takenArrows } from '../../api/console/parts/graph/taken-arrows.ts';
import {
  centredWindow,
  fittingWindow,
  movedWindow,
  readableWindow,
  type Size,
  showing,
  zoomedWindow,
} from '../../api/console/parts/graph/view-window.ts';
import type { MachineView, StateView } from '../../engine/vocabulary/machine-shape.ts';

const state = (path: string[], more: Partial<StateView> = {}): StateView => ({
  path,
  type: 'atomic',
  initial: null,
  tags: [],
  invokes: [],
  transitions: [],
  states: [],
  ...more,
});

const inner = state(['burning', 'disk'], { invokes: [{ id: '0', label: 'disks', taskName: 'Task.noop' }] });
const machine: MachineView = {
  graph: 'Graph.X',
  definitionHash: 'h',
  kind: 'machine',
  root: state([], {
    type: 'compound',
    initial: 'burning',
    states: [
      state(['burning'], {
        type: 'parallel',
        transitions: [{ event: 'xstate.done.state.X.burning', targets: ['failed'], guard: null }],
        states: [inner],
      }),
      state(['failed'], { type: 'final', tags: ['failed'] }),
    ],
  }),
  tasks: [],
};
const list: MachineView = {
  ...machine,
  kind: 'list',
  tasks: [
    { label: 'a', taskName: 'Task.noop', waitsFor: [] },
    { label: 'b', taskName: 'Task.noop', waitsFor: ['a'] },
  ],
};

test('a machine has boxes within boxes, and an arrow for each transition that leads to a state', (t) => {
  const { children, edges } = graphLayout(machine);
  t.deepEqual(
    children.map(({ id, lines, kind }) => [id, lines, kind]),
    [
      ['>', [], 'initial'],
      ['burning', ['burning (parallel)'], 'parallel'],
      ['failed', ['failed'], 'failed'],
    ],
  );
  t.deepEqual(children[1]?.children?.[0]?.lines, ['disk', '(disks)']);
  t.deepEqual(
    edges.map(({ sources, targets, text, isFailure }) => [sources, targets, text, isFailure]),
    [
      [['burning'], ['failed'], 'done', true],
      [['>'], ['burning'], '', false],
    ],
  );
});

test('a list has a box for each task, and an arrow for each wait', (t) => {
  const { children, edges } = graphLayout(list);
  t.deepEqual(
    children.map(({ lines }) => lines),
    [
      ['a', 'Task.noop'],
      ['b', 'Task.noop'],
    ],
  );
  t.deepEqual(
    edges.map(({ sources, targets }) => [sources, targets]),
    [[['a'], ['b']]],
  );
});

test('with states, each task has a free line after its own, and room for it', (t) => {
  for (const view of [machine, list]) {
    const boxes = (all: readonly GraphBox[]): GraphBox[] => all.flatMap((box) => [box, ...boxes(box.children ?? [])]);
    t.true(boxes(graphLayout(view).children).every(({ tasks }) => tasks.length === 0));
    const withTasks = boxes(graphLayout(view, { stateWidth: 30 }).children).filter(({ tasks }) => tasks.length > 0);
    t.is(withTasks.length, view === machine ? 1 : 2);
    for (const { lines, tasks, width = 0 } of withTasks) {
      t.true(tasks.every(({ stateLine }) => lines[stateLine] === '' && lines[stateLine - 1] !== ''));
      t.true(width > 30 * 7);
    }
  }
});

test('the graph of a child unfolds in its task: its boxes and arrows have the prefix of that', (t) => {
  const { children, edges } = graphLayout(list, { stateWidth: 30, unfolded: new Map([['b', machine]]) });
  const [, box] = children;
  t.is(box?.id, 'b');
  t.deepEqual(
    box?.children?.map(({ id }) => id),
    ['b/>', 'b/burning', 'b/failed'],
  );
  t.deepEqual(
    edges.map(({ sources, targets, prefix }) => [...sources, ...targets, prefix]),
    [
      ['a', 'b', ''],
      ['b/burning', 'b/failed', 'b/'],
      ['b/>', 'b/burning', 'b/'],
    ],
  );
  const unfolded = [{ label: 'b', view: machine, states: { burning: { disk: {} } }, tasks: [drawnTask('disks')] }];
  const parts = drawnParts({ view: list, tasks: [drawnTask('b')], unfolded }, edges, new Set());
  t.deepEqual([...parts.active], ['b/burning', 'b/burning.disk']);
  t.deepEqual([...parts.tasks.keys()], ['b', 'b/disks']);
  t.deepEqual([...parts.takenIds], ['a b']);
});

const drawnTask = (label: string) => ({
  label,
  state: 'running' as const,
  attempts: 1,
  maxAttempts: 1,
  waitingOn: null,
});

test('what can be chosen: states and labels of a machine, labels of a list', (t) => {
  const ids = (view: MachineView) => itemsOf(graphLayout(view, { stateWidth: 30 })).map(({ picked }) => picked);
  t.deepEqual(ids(machine), [
    { kind: 'state', path: 'burning', label: undefined },
    { kind: 'state', path: 'burning.disk', label: 'disks' },
    { kind: 'label', label: 'disks' },
    { kind: 'state', path: 'failed', label: undefined },
  ]);
  t.deepEqual(ids(list), [
    { kind: 'label', label: 'a' },
    { kind: 'label', label: 'b' },
  ]);
});

test('active are the states of a value, and those that contain them', (t) => {
  t.deepEqual([...activeStates('a')], ['a']);
  t.deepEqual([...activeStates({ a: { b: 'c', d: {} } })], ['a', 'a.b', 'a.b.c', 'a.d']);
  t.deepEqual([...activeStates(null), ...activeStates(undefined)], []);
});

const sizes = fc.record({
  width: fc.integer({ min: 1, max: 50_000 }),
  height: fc.integer({ min: 1, max: 50_000 }),
});
const screens = fc.record({
  width: fc.integer({ min: 200, max: 3_000 }),
  height: fc.integer({ min: 100, max: 2_000 }),
});
const EDGE = 8;

test('however it is zoomed and moved, a drawing stays in view', (t) => {
  const inside = (at: number, drawn: number, shown: number) =>
    shown >= drawn + 2 * EDGE
      ? Math.abs(at - (drawn - shown) / 2) < 1e-6
      : at >= -EDGE - 1e-6 && at + shown <= drawn + EDGE + 1e-6;
  fc.assert(
    fc.property(sizes, screens, fc.array(fc.integer({ min: -5_000, max: 5_000 })), (drawing: Size, screen, steps) => {
      let view = readableWindow(drawing, screen);
      for (const step of steps) {
        const at = { x: screen.width / 2, y: screen.height / 3 };
        view =
          step % 3 === 0
            ? zoomedWindow(view, step > 0 ? 1.3 : 0.7, at, drawing, screen)
            : movedWindow(view, { x: step, y: -step }, drawing, screen);
        t.true(inside(view.x, drawing.width, screen.width / view.scale));
        t.true(inside(view.y, drawing.height, screen.height / view.scale));
      }
    }),
  );
  t.pass();
});

test('the whole width fits; a box that is shown is in view', (t) => {
  const [drawing, screen] = [
    { width: 4_000, height: 3_000 },
    { width: 1_000, height: 500 },
  ];
  const whole = fittingWindow(drawing, screen);
  t.true((drawing.width + 2 * EDGE) * whole.scale <= screen.width + 1e-6);
  const near = zoomedWindow(whole, 4, { x: 0, y: 0 }, drawing, screen);
  const box = { x: 3_500, y: 2_500, width: 100, height: 60 };
  const view = showing(near, box, drawing, screen);
  t.true(view.x <= box.x && view.x + screen.width / view.scale >= box.x + box.width);
  t.true(view.y <= box.y && view.y + screen.height / view.scale >= box.y + box.height);
  t.deepEqual(showing(view, box, drawing, screen), view, 'no further move');
  const middle = { x: 2_000, y: 1_000, width: 100, height: 60 };
  const opened = centredWindow({ x: 0, y: 0, scale: 1 }, middle, drawing, screen);
  t.deepEqual(opened, { x: 1_550, y: 780, scale: 1 }, 'in the middle');
  t.is(centredWindow(opened, { ...middle, width: 1_500 }, drawing, screen).x, 1_992, 'from its left');
});

const arrow = (source: string, target: string, text = '', onError = false) => {
  return {
    id: `${source} ${target}${onError ? ' failed' : ''}`,
    sources: [source],
    targets: [target],
    text,
    onError,
  };
};
const machinePath = { kind: 'machine' as const, finals: new Set(['work.end']), tasks: [] };

test('the path that a machine has taken leads from states that it left to states that it entered', (t) => {
  const arrows = [
    arrow('>', 'idle'),
    arrow('work>', 'work.a'),
    arrow('idle', 'work'),
    arrow('work', 'done', 'done'),
    arrow('work.a', 'work.b'),
    arrow('work.a', 'work.b', '', true),
    arrow('work.b', 'work.end'),
    arrow('work.b', 'work.a'),
    arrow('work.c', 'failed'),
    arrow('left.x', 'right.y'),
  ];
  const moves = [
    { event: 'launch', from: 'pending', to: 'idle' },
    { event: 'timer', from: 'idle', to: { work: 'a' } },
    { event: 'work.done', from: { work: 'a' }, to: { work: 'b' } },
    // The part has ended, so that its parent has.
    { event: 'work.done', from: { work: 'b' }, to: 'done' },
    { event: 'timer', from: { left: 'x', right: 'x' }, to: { left: 'x', right: 'y' } },
  ];
  t.deepEqual(
    [...takenArrows({ ...machinePath, arrows, moves })],
    ['> idle', 'work> work.a', 'idle work', 'work done', 'work.a work.b', 'work.b work.end'],
  );
  const failing = [{ event: 'work.failed', from: { work: 'a' }, to: { work: 'b' } }];
  t.deepEqual([...takenArrows({ ...machinePath, arrows, moves: failing })], ['work.a work.b failed']);
  t.is(takenArrows({ ...machinePath, arrows, moves: [] }).size, 0);
});

test('in a list of tasks the arrows to those that have begun are taken', (t) => {
  const tasks = [
    { label: 'a', attempts: 1 },
    { label: 'b', attempts: 1 },
    { label: 'c', attempts: 0 },
  ];
  const arrows = [arrow('a', 'b'), arrow('b', 'c')];
  t.deepEqual([...takenArrows({ kind: 'list', arrows, finals: new Set(), moves: [], tasks })], ['a b']);
});
