/**
 * Diagrams as Mermaid text: state diagrams of machines, and flowcharts of lists of tasks.
 *
 * A state that invokes something says so; a transition has its event, and its guard in brackets. Of several transitions
 * for one event the first whose guard holds is taken: they are numbered.
 */
import type { AnyStateMachine } from 'xstate';
import { groupBy } from '../../platform/lib/group-by.ts';
import type { MachineView, StateView } from '../../vocabulary/machine-shape.ts';
import { transitionTexts } from '../../vocabulary/transition-texts.ts';
import { stateViewOf } from './machine-view.ts';

const INDENT = '  ';

/** The machine of a list of tasks has two states; its diagram shows the tasks, and which of them wait for others. */
export const graphDiagram = (view: MachineView): string =>
  view.kind === 'list' ? flowchartOf(view) : stateDiagram(view.root);

export const diagramOf = (machine: AnyStateMachine): string => stateDiagram(stateViewOf(machine));

function flowchartOf({ tasks }: MachineView): string {
  const ids = new Map(tasks.map(({ label }, index) => [label, `t${index}`]));
  const boxes = tasks.map(({ label, taskName }) => `${ids.get(label)}["${quote(`${label} (${taskName})`)}"]`);
  const arrows = tasks.flatMap(({ label, waitsFor }) => waitsFor.map((on) => `${ids.get(on)} --> ${ids.get(label)}`));
  return ['flowchart TB', ...[...boxes, ...arrows].map((line) => INDENT + line)].join('\n');
}

function stateDiagram(root: StateView): string {
  return [
    'stateDiagram-v2',
    ...initialOf(root).map((line) => INDENT + line),
    ...root.states.flatMap((state) => statesOf(state, 1)),
    ...edgesOf(root).map((line) => INDENT + line),
  ].join('\n');
}

/** Text within quotes. */
const quote = (text: string): string =>
  text.replace(/[#";]/g, (character) => `#${character.codePointAt(0)};`).replace(/\s+/g, ' ');

/** Mermaid allows only letters, digits and underscores. */
const idOf = (path: readonly string[]): string => path.map(idOfKey).join('_');

const idOfKey = (key: string): string =>
  key.replace(/[\s.:-]/g, '_').replace(/\W/gu, (character) => `u${character.codePointAt(0)}`);

const initialOf = ({ path, initial }: StateView): string[] =>
  initial === null ? [] : [`[*] --> ${idOf([...path, initial])}`];

/** Returns a state with those below it; a state with states of its own contains them. */
function statesOf(state: StateView, depth: number): string[] {
  const at = INDENT.repeat(depth);
  const { path, type, states, invokes } = state;
  const key = path.at(-1) ?? '';
  const name = type === 'parallel' ? `${key} (parallel)` : key;
  if (states.length > 0) {
    return [
      `${at}state "${quote(name)}" as ${idOf(path)} {`,
      ...initialOf(state).map((line) => `${at}${INDENT}${line}`),
      ...states.flatMap((child) => statesOf(child, depth + 1)),
      ...states.filter(isFinal).map((child) => `${at}${INDENT}${idOf(child.path)} --> [*]`),
      `${at}}`,
    ];
  }
  const text = [name, ...invokes.map(({ label }) => `(${label})`)].join(' ');
  return [`${at}state "${quote(text)}" as ${idOf(path)}`];
}

const isFinal = ({ type }: StateView): boolean => type === 'final';

/** All transitions, at the top of the diagram, because they may lead from one composite state into another. */
function edgesOf(root: StateView): string[] {
  const ends = root.states
    .filter(isFinal)
    .map(({ path, tags }) => `${idOf(path)} --> [*]${tags.length > 0 ? `: ${tags.join(', ')}` : ''}`);
  const edges = groupBy(root.states.flatMap(below).flatMap(edgesFrom), ({ from, to }) => `${from} --> ${to}`);
  return [
    ...edges.map(([arrow, arrowEdges]) => `${arrow}: ${quote(arrowEdges.map(({ text }) => text).join(', '))}`),
    ...ends,
  ];
}

const below = (state: StateView): StateView[] => [state, ...state.states.flatMap(below)];

const edgesFrom = (state: StateView) =>
  transitionTexts(state).flatMap(({ targets, text }) =>
    targets.map((target) => ({ from: idOf(state.path), to: idOfKey(target), text })),
  );
