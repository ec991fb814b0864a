/**
 * Steps a machine between stored snapshots: the only place that knows how a machine is run, and what a row keeps of it.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { nodesOf } from '../../library/forms/machine-nodes.ts';
import { compiledLogic, STEP_LIMIT } from './compiled.ts';
import type { Logic, LogicStep } from './logic.ts';
import { beginMachine, move, type Transition } from './pure.ts';
import type { Snapshot } from './row.ts';
import { invokesIn } from './state-nodes.ts';

const logics = new WeakMap<AnyStateMachine, Logic>();

export function logicOf(machine: AnyStateMachine): Logic {
  const kept = logics.get(machine);
  if (kept !== undefined) return kept;
  const xstate = interpretedLogic(machine);
  const logic = compiledLogic(machine, xstate) ?? xstate;
  logics.set(machine, logic);
  return logic;
}

/** XState's own interpretation, of any machine. */
export function interpretedLogic(machine: AnyStateMachine): Logic {
  const invoked = invokesIn(nodesOf(machine));
  machine.options = { ...machine.options, maxIterations: STEP_LIMIT };
  return {
    begin: (input) => logicStep(invoked, beginMachine(machine, input)),
    next: (before, event) => logicStep(invoked, move(machine, restoreSnapshot(machine, before), event)),
  };
}

/** Uses `resolveState`, which is fast, except for history states: only `restoreSnapshot` restores them. */
function restoreSnapshot(machine: AnyStateMachine, { value, context, historyValue }: Snapshot): AnyMachineSnapshot {
  if (historyValue === undefined) {
    return machine.resolveState({ value, context } as Parameters<AnyStateMachine['resolveState']>[0]);
  }
  const persisted = { value, context, historyValue, status: 'active', children: {} } as unknown;
  type Restore = (snapshot: unknown, scope: unknown) => AnyMachineSnapshot;
  return (machine.restoreSnapshot as Restore)(persisted, {});
}

/** @param invoked the ids of all invokes of the machine */
function logicStep(invoked: ReadonlySet<string>, [snapshot, actions]: Transition): LogicStep {
  const { value, context, historyValue, status } = snapshot;
  const kept: Snapshot = { value, context };
  if (Object.keys(historyValue ?? {}).length > 0) kept.historyValue = historyIds(historyValue);
  const next = { snapshot: kept, actions };
  if (status !== 'active') {
    const ending =
      status === 'done' ? { output: snapshot.output, tags: snapshot.tags, value } : { error: snapshot.error };
    return { ...next, isOver: () => true, ending };
  }
  const active = invokesIn(snapshot._nodes);
  return { ...next, isOver: (id) => invoked.has(id) && !active.has(id) };
}

/** Converts the state nodes of a history value to the ids that `restoreSnapshot` accepts. */
const historyIds = (value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(value as Record<string, { id: string }[]>).map(([key, nodes]) => [
      key,
      nodes.map(({ id }) => ({ id })),
    ]),
  );
