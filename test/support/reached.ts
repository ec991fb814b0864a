/** Records the states of machines and the labels of graphs that a test has reached. */
import { type AnyStateMachine, assign } from 'xstate';
import type { Graph } from '../../engine/library/types.ts';

interface StateNode {
  id: string;
  entry: unknown[];
  states: Record<string, StateNode>;
}

const nodesOf = (node: StateNode): StateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];

/**
 * Records each state that the machine enters from now on, including states that it leaves in the same step.
 * @returns a function that returns the ids of the states not entered yet
 */
export function watchStates(machine: AnyStateMachine): () => string[] {
  const nodes = nodesOf(machine.root as unknown as StateNode);
  const entered = new Set<string>();
  for (const node of nodes) {
    node.entry.push(
      assign(() => {
        entered.add(node.id);
        return {};
      }),
    );
  }
  return () => nodes.map(({ id }) => id).filter((id) => !entered.has(id));
}

/** Returns the labels of a graph that started in none of the workflows passed to `see`. */
export function watchLabels({ labels }: Graph) {
  const begun = new Set<string>();
  return {
    see({ tasks }: { tasks: readonly { label: string; startedAt: string | null }[] }): void {
      for (const { label, startedAt } of tasks) if (startedAt !== null) begun.add(label);
    },
    missing: (): string[] => [...labels.keys()].filter((label) => !begun.has(label)),
  };
}
