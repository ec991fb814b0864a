/**
 * The parts of a drawn graph: boxes within boxes, and arrows between them, with their texts. ELK finds their places; the
 * command line and the console draw them.
 */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { MachineView, StateView } from '../../engine/vocabulary/machine-shape.ts';
import { transitionTexts } from '../../engine/vocabulary/transition-texts.ts';

/** px */
const CHARACTER = 7.25;
const INITIAL_SIZE = 10;
export const LINE = 18;
export const MARGIN = 12;

export interface GraphBox extends ElkNode {
  lines: string[];
  /** The type of the state, `failed`, `initial` for the point before the first state, or `task` for one of a list. */
  kind: string;
  /** Its tasks, each with the line that is free for its state; empty without such lines. */
  tasks: { label: string; stateLine: number }[];
  children?: GraphBox[];
}

export interface GraphArrow extends ElkExtendedEdge {
  text: string;
  /** A failed task takes it. */
  onError: boolean;
  /** It leads from a failed task, or to a failed end. */
  isFailure: boolean;
  /** The prefix of the ids of its graph: '' for the outermost. */
  prefix: string;
}

/** Before or after its layout, which adds places and sizes. */
export interface GraphLayout extends ElkNode {
  children: GraphBox[];
  edges: GraphArrow[];
}

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.spacing.nodeNode': '32',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '6',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
};

export interface LayoutForm {
  /** Characters of the line for the state of each task; absent: there are no such lines. */
  stateWidth?: number;
  direction?: 'DOWN' | 'RIGHT';
  /** The graphs that unfold in their task, by its label; deeper ones by `label/label`. */
  unfolded?: ReadonlyMap<string, MachineView>;
}

export function graphLayout(view: MachineView, form: LayoutForm = {}): GraphLayout {
  const { boxes, arrows } = partsOf(view, form, '');
  const direction = { 'elk.direction': form.direction ?? 'DOWN' };
  return { id: 'root', layoutOptions: { ...layoutOptions, ...direction }, children: boxes, edges: arrows };
}

/** The ids and labels of a graph that unfolds in a task begin with it. */
export const prefixOf = (label: string): string => `${label}/`;

interface Parts {
  boxes: GraphBox[];
  arrows: GraphArrow[];
}

const partsOf = (view: MachineView, form: LayoutForm, prefix: string): Parts =>
  view.kind === 'list' ? listParts(view, form, prefix) : machineParts(view.root, form, prefix);

function listParts({ tasks }: MachineView, form: LayoutForm, prefix: string): Parts {
  const parts = tasks.map(({ label, taskName }) =>
    withUnfolded(
      boxOf({ id: prefix + label, kind: 'task', title: label, tasks: [[prefix + label, taskName]] }, form),
      [prefix + label],
      form,
    ),
  );
  const arrows = tasks.flatMap(({ label, waitsFor }) =>
    waitsFor.map((on) => arrowOf({ id: `${on} ${label}`, from: on, to: label, text: '' }, prefix)),
  );
  return { boxes: parts.flatMap(({ boxes }) => boxes), arrows: [...arrows, ...parts.flatMap((part) => part.arrows)] };
}

/** Adds the graphs that unfold in the tasks of a box. */
function withUnfolded(box: GraphBox, labels: readonly string[], form: LayoutForm): Parts {
  const inner = labels.flatMap((label) => {
    const view = form.unfolded?.get(label);
    return view === undefined ? [] : [partsOf(view, form, prefixOf(label))];
  });
  const boxes = inner.flatMap((part) => part.boxes);
  return { boxes: [boxes.length === 0 ? box : around(box, boxes)], arrows: inner.flatMap(({ arrows }) => arrows) };
}

function around(box: GraphBox, children: GraphBox[]): GraphBox {
  const top = MARGIN + box.lines.length * LINE;
  const padding = `[top=${top},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`;
  return {
    ...box,
    children: [...(box.children ?? []), ...children],
    layoutOptions: {
      'elk.padding': padding,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${box.width},${box.height})`,
    },
  };
}

function machineParts(root: StateView, form: LayoutForm, prefix: string): Parts {
  const all = root.states.flatMap(below);
  const failed = new Set(all.filter(({ tags }) => tags.includes('failed')).map(pathText));
  const arrows = all.flatMap((state) =>
    transitionTexts(state).flatMap(({ targets, text, isFailure }, index) =>
      targets.map((target) => {
        const from = pathText(state);
        const arrow = arrowOf({ id: `${from} ${index} ${target}`, from, to: target, text }, prefix);
        return { ...arrow, onError: isFailure, isFailure: isFailure || failed.has(target) };
      }),
    ),
  );
  const { boxes, arrows: inner } = statesOf(root, form, prefix);
  return { boxes, arrows: [...arrows, ...inner] };
}

const below = (state: StateView): StateView[] => [state, ...state.states.flatMap(below)];
export const pathText = ({ path }: StateView): string => path.join('.');

/** The boxes of the states in a state, and the point at which it is entered. */
function statesOf(state: StateView, form: LayoutForm, prefix: string): Parts {
  const parts = state.states.map((child) => stateParts(child, form, prefix));
  const boxes = parts.flatMap((part) => part.boxes);
  const arrows = parts.flatMap((part) => part.arrows);
  const first = state.states.find(({ path }) => state.type !== 'parallel' && path.at(-1) === state.initial);
  if (first === undefined || state.states.length === 1) return { boxes, arrows };
  const id = initialOf(pathText(state));
  const point = { id: prefix + id, kind: 'initial', lines: [], tasks: [], width: INITIAL_SIZE, height: INITIAL_SIZE };
  const arrow = arrowOf({ id, from: id, to: pathText(first), text: '' }, prefix);
  return { boxes: [point, ...boxes], arrows: [arrow, ...arrows] };
}

/** The id of the point at which a state is entered. @param path '' of the whole machine */
const initialOf = (path: string): string => `${path}>`;

/** @returns the path of the state that is entered at this point; undefined: the id is that of a state */
export const enteredAt = (id: string): string | undefined => (id.endsWith('>') ? id.slice(0, -1) : undefined);

function stateParts(state: StateView, form: LayoutForm, prefix: string): Parts {
  const { path, type, tags, invokes, states } = state;
  const kind = tags.includes('failed') ? 'failed' : type;
  const title = `${path.at(-1)}${type === 'parallel' ? ' (parallel)' : ''}`;
  const tasks = invokes.map(({ label }): TaskLine => [prefix + label, `(${label})`]);
  const after = tags.filter((tag) => tag !== path.at(-1)).join(', ');
  const box = boxOf({ id: prefix + pathText(state), kind, title, tasks, after }, form);
  const inner = statesOf(state, form, prefix);
  const { boxes, arrows } = withUnfolded(
    states.length === 0 ? box : around(box, inner.boxes),
    tasks.map(([label]) => label),
    form,
  );
  return { boxes, arrows: [...inner.arrows, ...arrows] };
}

type TaskLine = [label: string, text: string];

interface BoxTexts {
  id: string;
  kind: string;
  title: string;
  tasks: readonly TaskLine[];
  /** The last line; absent or '': there is none. */
  after?: string;
}

function boxOf({ id, kind, title, tasks: taskLines, after = '' }: BoxTexts, { stateWidth = 0 }: LayoutForm): GraphBox {
  const hasStates = stateWidth > 0;
  const texts = taskLines.flatMap(([, text]) => (hasStates ? [text, ''] : [text]));
  const lines = [title, ...texts, ...(after === '' ? [] : [after])];
  const tasks = hasStates ? taskLines.map(([label], index) => ({ label, stateLine: 2 * index + 2 })) : [];
  const least = tasks.length > 0 ? stateWidth * CHARACTER : 0;
  const width = Math.max(least, ...lines.map(widthOf)) + 2 * MARGIN;
  return { id, lines, kind, tasks, width, height: lines.length * LINE + MARGIN };
}

interface ArrowEnds {
  id: string;
  from: string;
  to: string;
  text: string;
}

const arrowOf = ({ id, from, to, text }: ArrowEnds, prefix: string): GraphArrow => ({
  id: prefix + id,
  sources: [prefix + from],
  targets: [prefix + to],
  text,
  onError: false,
  isFailure: false,
  prefix,
  labels: text === '' ? [] : [{ text, width: widthOf(text), height: LINE }],
});

const widthOf = (text: string): number => text.length * CHARACTER;
