/**
 * The parts of a drawn graph: boxes within boxes, and arrows between them, with their texts. ELK finds their places; the
 * command line and the console draw them.
 */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { MachineView, StateView } from '../../engine/vocabulary/machine-shape.ts';
import { transitionTexts } from '../../engine/vocabulary/transition-texts.ts';

/** px */
const CHARACTER = 7;
export const LINE = 18;
export const MARGIN = 12;

export interface GraphBox extends ElkNode {
  lines: string[];
  /** The type of the state, or `failed`. */
  kind: string;
  /** Its tasks, each with the line that is free for its state; empty without such lines. */
  tasks: { label: string; stateLine: number }[];
  children?: GraphBox[];
}

export interface GraphArrow extends ElkExtendedEdge {
  text: string;
  /** It leads from a failed task. */
  isFailure: boolean;
}

/** Before or after its layout, which adds places and sizes. */
export interface GraphLayout extends ElkNode {
  children: GraphBox[];
  edges: GraphArrow[];
}

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.spacing.nodeNode': '32',
  'elk.spacing.edgeNode': '16',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
};

/** @param stateWidth characters of the line for the state of each task; 0: there are no such lines */
export function graphLayout(view: MachineView, stateWidth = 0): GraphLayout {
  const { boxes, arrows } = view.kind === 'list' ? listParts(view, stateWidth) : machineParts(view.root, stateWidth);
  return { id: 'root', layoutOptions, children: boxes, edges: arrows };
}

interface Parts {
  boxes: GraphBox[];
  arrows: GraphArrow[];
}

function listParts({ tasks }: MachineView, stateWidth: number): Parts {
  const boxes = tasks.map(({ label, taskName }) =>
    boxOf(label, 'atomic', [label], [[label, taskName]], [], stateWidth),
  );
  const arrows = tasks.flatMap(({ label, waitsFor }) => waitsFor.map((on) => arrowOf(`${on} ${label}`, on, label, '')));
  return { boxes, arrows };
}

function machineParts(root: StateView, stateWidth: number): Parts {
  const all = root.states.flatMap(below);
  const arrows = all.flatMap((state) =>
    transitionTexts(state).flatMap(({ targets, text, isFailure }, index) =>
      targets.map((target) => ({
        ...arrowOf(`${pathText(state)} ${index} ${target}`, pathText(state), target, text),
        isFailure,
      })),
    ),
  );
  const boxes = root.states.map((state) => stateBox(state, state.path.at(-1) === root.initial, stateWidth));
  return { boxes, arrows };
}

const below = (state: StateView): StateView[] => [state, ...state.states.flatMap(below)];
export const pathText = ({ path }: StateView): string => path.join('.');

function stateBox(state: StateView, isInitial: boolean, stateWidth: number): GraphBox {
  const { path, type, tags, invokes, states, initial } = state;
  const title = `${isInitial ? '> ' : ''}${path.at(-1)}${type === 'parallel' ? ' (parallel)' : ''}`;
  const kind = tags.includes('failed') ? 'failed' : type;
  const tasks = invokes.map(({ label }): TaskLine => [label, `(${label})`]);
  const box = boxOf(pathText(state), kind, [title], tasks, tags.length > 0 ? [tags.join(', ')] : [], stateWidth);
  if (states.length === 0) return box;
  const top = MARGIN + box.lines.length * LINE;
  return {
    ...box,
    children: states.map((child) => stateBox(child, child.path.at(-1) === initial, stateWidth)),
    layoutOptions: { 'elk.padding': `[top=${top},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]` },
  };
}

type TaskLine = [label: string, text: string];

function boxOf(
  id: string,
  kind: string,
  before: readonly string[],
  taskLines: readonly TaskLine[],
  after: readonly string[],
  stateWidth: number,
): GraphBox {
  const hasStates = stateWidth > 0;
  const lines = [...before, ...taskLines.flatMap(([, text]) => (hasStates ? [text, ''] : [text])), ...after];
  const tasks = hasStates
    ? taskLines.map(([label], index) => ({ label, stateLine: before.length + 2 * index + 1 }))
    : [];
  const least = tasks.length > 0 ? stateWidth * CHARACTER : 0;
  const width = Math.max(least, ...lines.map(widthOf)) + 2 * MARGIN;
  return { id, lines, kind, tasks, width, height: lines.length * LINE + MARGIN };
}

const arrowOf = (id: string, from: string, to: string, text: string): GraphArrow => ({
  id,
  sources: [from],
  targets: [to],
  text,
  isFailure: false,
  labels: text === '' ? [] : [{ text, width: widthOf(text), height: LINE }],
});

const widthOf = (text: string): number => text.length * CHARACTER;
