/**
 * Diagrams as Mermaid text: state diagrams of XState machines, and flowcharts of lists of tasks.
 *
 * A state that invokes something says so; a transition has its event, and its guard in brackets. Of several transitions
 * for one event the first whose guard holds is taken: they are numbered.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { property } from '../define/json.ts';
import { grouped } from '../lib/grouped.ts';
import { predecessors } from './predecessors.ts';
import type { Graph } from './types.ts';

type Transition = AnyStateNode['always'] extends readonly (infer T)[] | undefined ? T : never;

interface Edge {
  from: string;
  to: string;
  label: string;
}

const INDENT = '  ';

/** The machine of a list of tasks has two states; its diagram shows the tasks, and which of them wait for others. */
export const graphDiagram = (graph: Graph): string =>
  graph.kind === 'list' ? flowchartOf(graph) : diagramOf(graph.machine);

function flowchartOf(graph: Graph): string {
  const waits = predecessors(graph);
  const ids = new Map([...graph.labels.keys()].map((label, index) => [label, `t${index}`]));
  const boxes = [...ids].map(([label, id]) => `${id}["${quoted(`${label} (${graph.labels.get(label)?.task.name})`)}"]`);
  const arrows = [...waits].flatMap(([label, before]) => before.map((on) => `${ids.get(on)} --> ${ids.get(label)}`));
  return ['flowchart TB', ...[...boxes, ...arrows].map((line) => INDENT + line)].join('\n');
}

/** Text within quotes. */
const quoted = (text: string): string =>
  text.replace(/[#";]/g, (character) => `#${character.codePointAt(0)};`).replace(/\s+/g, ' ');

export function diagramOf(machine: AnyStateMachine): string {
  const { root } = machine;
  return [
    'stateDiagram-v2',
    ...initialOf(root).map((line) => INDENT + line),
    ...childrenOf(root).flatMap((node) => statesOf(node, 1)),
    ...edgesOf(root).map((line) => INDENT + line),
  ].join('\n');
}

const childrenOf = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states);

/** Mermaid allows only letters, digits and underscores. */
const idOf = (node: AnyStateNode): string => node.path.map(idOfKey).join('_');

const idOfKey = (key: string): string =>
  key.replace(/[\s.:-]/g, '_').replace(/\W/gu, (character) => `u${character.codePointAt(0)}`);

const initialOf = (node: AnyStateNode): string[] =>
  node.type === 'compound' ? node.initial.target.map((target) => `[*] --> ${idOf(target as AnyStateNode)}`) : [];

/** Returns the states below a node; a state with states of its own contains them. */
function statesOf(node: AnyStateNode, depth: number): string[] {
  const at = INDENT.repeat(depth);
  const inner = childrenOf(node);
  const name = node.type === 'parallel' ? `${node.key} (parallel)` : node.key;
  if (inner.length > 0) {
    return [
      `${at}state "${quoted(name)}" as ${idOf(node)} {`,
      ...initialOf(node).map((line) => `${at}${INDENT}${line}`),
      ...inner.flatMap((child) => statesOf(child, depth + 1)),
      ...inner.filter(isFinal).map((child) => `${at}${INDENT}${idOf(child)} --> [*]`),
      `${at}}`,
    ];
  }
  const labels = node.invoke.map(({ src }) => String(src));
  const text = [name, ...labels.map((label) => `(${label})`)].join(' ');
  return [`${at}state "${quoted(text)}" as ${idOf(node)}`];
}

const isFinal = (node: AnyStateNode): boolean => node.type === 'final';

/** All transitions, at the top of the diagram, because they may lead from one composite state into another. */
function edgesOf(root: AnyStateNode): string[] {
  const ends = childrenOf(root)
    .filter(isFinal)
    .map((node) => `${idOf(node)} --> [*]${node.tags.length > 0 ? `: ${node.tags.join(', ')}` : ''}`);
  const edges = grouped(below(root).flatMap(transitionsOf), ({ from, to }) => `${from} --> ${to}`);
  return [...edges.map(([arrow, own]) => `${arrow}: ${quoted(own.map(({ label }) => label).join(', '))}`), ...ends];
}

const below = (node: AnyStateNode): AnyStateNode[] => childrenOf(node).flatMap((child) => [child, ...below(child)]);

function transitionsOf(node: AnyStateNode): Edge[] {
  const events = [...node.transitions.entries()].map(([event, transitions]) => ({
    name: eventName(event, node),
    transitions: transitions as Transition[],
  }));
  const all = [...events, { name: 'at once', transitions: (node.always ?? []) as Transition[] }];
  return all.flatMap(({ name, transitions }) => {
    const targeted = transitions.filter(({ target }) => target !== undefined);
    return targeted.flatMap((transition, index) => {
      const number = targeted.length > 1 ? `${index + 1}. ` : '';
      const label = `${number}${name}${guardOf(transition)}`;
      return (transition.target ?? []).map((target) => ({ from: idOf(node), to: idOf(target as AnyStateNode), label }));
    });
  });
}

/** XState's names of its own events, in words. */
function eventName(event: string, node: AnyStateNode): string {
  if (event.startsWith('xstate.after.')) {
    const delay = event.slice('xstate.after.'.length).replace(`.${node.id}`, '');
    return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}`;
  }
  if (event.startsWith('xstate.done.state.')) return 'done';
  const [, kind, actor = ''] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? [];
  if (kind === undefined) return event;
  const { src = actor } = node.invoke.find(({ id }) => id === actor) ?? {};
  return `${String(src)} ${kind === 'done' ? 'done' : 'failed'}`;
}

function guardOf({ guard }: Transition): string {
  if (guard === undefined) return '';
  const name: unknown = typeof guard === 'string' ? guard : property(guard, 'type');
  return typeof name === 'string' ? ` [${name}]` : ' [condition]';
}
