/** Records the states that a machine enters. */
import { type AnyStateMachine, assign, createMachine } from 'xstate';
import { nodesOf } from '../library/forms/machine-nodes.ts';

/** Returns an equal machine that is separate, so that it may be changed. */
export function copyOfMachine(machine: AnyStateMachine): AnyStateMachine {
  const make = createMachine as (config: object, implementations: object) => AnyStateMachine;
  return make(machine.config, machine.implementations);
}

/**
 * Records each state that the machine enters from now on, including states that it leaves in the same step. Changes the
 * machine, which must not have been stepped yet.
 * @returns a function that returns the ids of the states not entered yet
 */
export function watchStates(machine: AnyStateMachine): () => string[] {
  const nodes = nodesOf(machine);
  const entered = new Set<string>();
  for (const node of nodes) {
    const record = assign(() => {
      entered.add(node.id);
      return {};
    });
    node.entry.push(record as never);
  }
  return () => nodes.filter(({ id, type }) => type !== 'history' && !entered.has(id)).map(({ id }) => id);
}
