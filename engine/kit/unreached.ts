/** Why the exploration of a graph did not reach its states and labels: those that others explain are left out. */
import type { AnyStateNode } from 'xstate';
import { nodesOf, transitionsOf } from '../library/forms/machine-nodes.ts';
import type { Graph } from '../library/types.ts';
import type { Exploration } from './explore.ts';

interface UnreachedPart {
  state?: string;
  label?: string;
  message: string;
}

export function unreachedParts(graph: Graph, { states, labels }: Exploration['unreached']): UnreachedPart[] {
  const ids = new Set(states);
  const nodes = nodesOf(graph.machine);
  const unreachedNodes = nodes.filter(({ id }) => ids.has(id));
  const sources = (node: AnyStateNode) =>
    nodes.filter((other) => other !== node && transitionsOf(other).some(({ target }) => target?.includes(node)));
  const isExplained = (node: AnyStateNode): boolean => {
    const before = sources(node);
    return (
      (node.parent !== undefined && ids.has(node.parent.id)) ||
      (before.length > 0 && before.every(({ id }) => ids.has(id)))
    );
  };
  const roots = unreachedNodes.filter((node) => !isExplained(node));
  const inThem = new Set(
    unreachedNodes.flatMap(({ invoke }) => invoke.map(({ src, id }) => graph.labelOf(String(src), id))),
  );
  // States that only lead to each other have no first one.
  const first = roots.length > 0 ? roots : unreachedNodes;
  return [
    ...first.map((node): UnreachedPart => {
      const state = node.path.join('.') || node.id;
      return {
        state,
        message: `no path leads to state ${state}${guardText(sources(node).filter(({ id }) => !ids.has(id)))}`,
      };
    }),
    ...labels
      .filter((label) => !inThem.has(label))
      .map((label): UnreachedPart => ({ label, message: `no path leads to label ${label}` })),
  ];
}

function guardText(sources: readonly AnyStateNode[]): string {
  const source = sources.find((node) => transitionsOf(node).some(({ guard }) => guard !== undefined));
  if (source === undefined) return '';
  return `: the guards of ${source.path.join('.') || 'the graph'} decide the same for each output that was tried; give the graph examples with other outputs`;
}
