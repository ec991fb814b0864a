/**
 * XState's pure step, at a fraction of the cost: `initialTransition` and `transition` build an actor of the machine each
 * time, with a complete initial snapshot that is thrown away. Here one actor of an empty logic is behind every scope.
 */
import {
  type ActorScope,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  fromTransition,
} from 'xstate';

export interface Action {
  type: string;
  params?: unknown;
}

export type Transition = [AnyMachineSnapshot, Action[]];

const self = createActor(fromTransition((state: null) => state, null));
/** Children of earlier steps are not actors, so a machine cannot find them by `systemId`, nor occupy one for good. */
const system = Object.assign(self.system, { _set: () => {} });

const nothing = () => {};
const common = {
  self,
  system,
  id: '',
  sessionId: '',
  logger: nothing,
  defer: nothing,
  emit: nothing,
  stopChild: nothing,
};

/** @param actions receives the actions of the machine, in order; none of them is executed */
function scopeOf(actions: Action[]): AnyActorScope {
  const scope: Omit<ActorScope<never, never>, 'self' | 'system'> & { self: unknown; system: unknown } = {
    ...common,
    actionExecutor: (action) => actions.push(action),
  };
  return scope as AnyActorScope;
}

export function beginMachine(machine: AnyStateMachine, input: unknown): Transition {
  const actions: Action[] = [];
  return [machine.getInitialSnapshot(scopeOf(actions), input), actions];
}

export function move(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: EventObject): Transition {
  const actions: Action[] = [];
  return [machine.transition(snapshot, event, scopeOf(actions)), actions];
}
