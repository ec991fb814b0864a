/** The states of a machine, with their transitions, actions and places. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { property } from '../../vocabulary/json.ts';

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

/** Returns a guard, or those that it combines by `and`, `or` and `not`: their names, objects or functions. */
export function simpleGuards(guard: unknown): unknown[] {
  const combined: unknown = typeof guard === 'function' ? Reflect.get(guard, 'guards') : undefined;
  return Array.isArray(combined) ? combined.flatMap(simpleGuards) : [guard];
}

/** Returns the name by which a machine refers to a guard; undefined: it is a function. */
export function nameOfGuard(guard: unknown): string | undefined {
  const name = typeof guard === 'string' ? guard : property(guard, 'type');
  return typeof name === 'string' ? name : undefined;
}

/** Returns the actions of a state: of its entry and exit, and of its transitions. */
export function actionsOf(node: AnyStateNode): readonly unknown[] {
  const initial: readonly unknown[] = node.type === 'compound' ? node.initial.actions : [];
  const inTransitions = transitionsOf(node).flatMap((transition) => transition.actions as readonly unknown[]);
  return [...node.entry, ...node.exit, ...initial, ...inTransitions];
}

/** Returns the place of a state in the configuration of its machine, such as `states.a.states.b`. */
export const configPath = ({ path }: AnyStateNode): string => path.map((key) => `states.${key}`).join('.');
