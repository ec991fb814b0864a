/** The states of a machine, with their transitions, actions and places. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** Returns all state nodes of a machine, the root first. */
export function nodesOf(machine: AnyStateMachine): AnyStateNode[] {
  const nodes: AnyStateNode[] = [machine.root];
  for (const node of nodes) nodes.push(...Object.values(node.states));
  return nodes;
}

/** Returns the transitions of a state, its eventless ones included. */
export const transitionsOf = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** Returns the actions of a state: of its entry and exit, and of its transitions. */
export function actionsOf(node: AnyStateNode): readonly unknown[] {
  const initial: readonly unknown[] = node.type === 'compound' ? node.initial.actions : [];
  const inTransitions = transitionsOf(node).flatMap((transition) => transition.actions as readonly unknown[]);
  return [...node.entry, ...node.exit, ...initial, ...inTransitions];
}

/** Returns the place of a state in the configuration of its machine, such as `states.a.states.b`. */
export const configPath = ({ path }: AnyStateNode): string => path.map((key) => `states.${key}`).join('.');
