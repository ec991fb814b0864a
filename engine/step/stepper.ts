/**
 * Steps a machine between stored snapshots: the only place that knows how a machine is run, and what a row keeps of it.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { compiled } from './compiled.ts';
import type { Logic, Stepped } from './logic.ts';
import { beginMachine, move, type Transition } from './pure.ts';
import type { Snapshot } from './row.ts';

const logics = new WeakMap<AnyStateMachine, Logic>();

export function logicOf(machine: AnyStateMachine): Logic {
  const kept = logics.get(machine);
  if (kept !== undefined) return kept;
  const xstate = interpreted(machine);
  const logic = compiled(machine, xstate) ?? xstate;
  logics.set(machine, logic);
  return logic;
}

/** XState's own interpretation, of any machine. */
export const interpreted = (machine: AnyStateMachine): Logic => ({
  begin: (input) => stepped(machine, beginMachine(machine, input)),
  next: (before, event) => stepped(machine, move(machine, restored(machine, before), event)),
});

/** Uses `resolveState`, which is fast, except for history states: only `restoreSnapshot` restores them. */
function restored(machine: AnyStateMachine, { value, context, historyValue }: Snapshot): AnyMachineSnapshot {
  if (historyValue === undefined) {
    return machine.resolveState({ value, context } as Parameters<AnyStateMachine['resolveState']>[0]);
  }
  const persisted = { value, context, historyValue, status: 'active', children: {} } as unknown;
  type Restore = (snapshot: unknown, scope: unknown) => AnyMachineSnapshot;
  return (machine.restoreSnapshot as Restore)(persisted, {});
}

function stepped(machine: AnyStateMachine, [snapshot, actions]: Transition): Stepped {
  const { value, context, historyValue, status } = snapshot;
  const kept: Snapshot = { value, context };
  if (Object.keys(historyValue ?? {}).length > 0) kept.historyValue = historyIds(historyValue);
  const next = { snapshot: kept, actions };
  if (status !== 'active') {
    const ending =
      status === 'done' ? { output: snapshot.output, tags: snapshot.tags, value } : { error: snapshot.error };
    return { ...next, isOver: () => true, ending };
  }
  const invoked = allInvokes(machine);
  const active = activeInvokes(snapshot);
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

interface Invoking {
  invoke: { id: string }[];
}

const activeInvokes = (snapshot: AnyMachineSnapshot): Set<string> =>
  new Set((snapshot._nodes as Invoking[]).flatMap((node) => node.invoke.map(({ id }) => id)));

interface Walked extends Invoking {
  states: Record<string, Walked>;
}

const invokesOf = (node: Walked): string[] => [
  ...node.invoke.map(({ id }) => id),
  ...Object.values(node.states).flatMap(invokesOf),
];

const known = new WeakMap<AnyStateMachine, Set<string>>();

function allInvokes(machine: AnyStateMachine): Set<string> {
  let ids = known.get(machine);
  if (ids === undefined) {
    ids = new Set(invokesOf(machine.root as unknown as Walked));
    known.set(machine, ids);
  }
  return ids;
}
