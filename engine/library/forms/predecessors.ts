/** The labels that a label waits for, read from the definition of its graph. Guards are ignored, so it may be too many. */
import type { AnyStateNode } from 'xstate';
import { objectIn } from '../../vocabulary/json.ts';
import type { Graph } from '../types.ts';
import { type ListGraph, waitOnOf } from './list-json.ts';
import { enteredStates } from './machine-checks.ts';
import { nodesOf, transitionsOf } from './machine-nodes.ts';

/** @returns by label; a label that begins with the graph waits for none */
export function predecessors(graph: Graph): Map<string, string[]> {
  const waits = graph.kind === 'list' ? waitsInList(graph) : waitsInMachine(graph);
  return new Map([...graph.labels.keys()].map((label) => [label, [...(waits.get(label) ?? [])].sort()]));
}

function waitsInList({ definition }: Graph): Map<string, Set<string>> {
  const { tasks } = objectIn(definition) as unknown as ListGraph;
  return new Map(
    tasks.map((entry) => {
      const { all, any } = waitOnOf(entry);
      return [entry.label, new Set([...all, ...any.flat()].map(({ on }) => on))];
    }),
  );
}

function waitsInMachine(graph: Graph): Map<string, Set<string>> {
  const waits = new Map<string, Set<string>>();
  for (const node of nodesOf(graph.machine)) {
    const before = labelsOf(graph, node);
    if (before.length === 0) continue;
    for (const label of nextLabels(graph, node)) {
      const waitLabels = waits.get(label) ?? new Set<string>();
      for (const one of before) if (one !== label) waitLabels.add(one);
      waits.set(label, waitLabels);
    }
  }
  return waits;
}

const labelsOf = (graph: Graph, { invoke }: AnyStateNode): string[] =>
  invoke.map(({ src, id }) => graph.labelOf(String(src), id));

/** Returns the labels that may begin next after a state, without another one in between. */
function nextLabels(graph: Graph, from: AnyStateNode): Set<string> {
  const labels = new Set<string>();
  const visitedNodes = new Set<AnyStateNode>(after(from));
  // Iterating a set also visits states that are added in the meantime.
  for (const node of visitedNodes) {
    const nodeLabels = labelsOf(graph, node);
    for (const label of nodeLabels) labels.add(label);
    for (const inner of enteredStates(node)) visitedNodes.add(inner);
    // A state whose task begins ends the way; a state with children continues when one of them is over.
    if (nodeLabels.length === 0 && node.type !== 'compound' && node.type !== 'parallel')
      for (const further of after(node)) visitedNodes.add(further);
  }
  return labels;
}

/** Returns the targets of a state's transitions, and of those states that it is in. */
function after(node: AnyStateNode): AnyStateNode[] {
  const targets: AnyStateNode[] = [];
  for (let up: AnyStateNode | undefined = node; up !== undefined; up = up.parent) {
    targets.push(...transitionsOf(up).flatMap(({ target }) => target ?? []));
  }
  return targets;
}
