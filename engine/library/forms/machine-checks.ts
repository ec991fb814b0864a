/**
 * Checks, without running it, that a graph's machine has no side effects of its own and can end. Actions collected by
 * `enqueueActions` are not visible here; the engine rejects those at run time.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { FAILED } from '../../define/graph.ts';
import { isObject, property } from '../../vocabulary/json.ts';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { Rejection, RejectionList, shownJson } from '../options/rejection.ts';
import { actionsOf, configPath, nodesOf } from './machine-nodes.ts';

const allowed = ['xstate.assign', 'xstate.raise', 'xstate.log', 'xstate.cancel', 'xstate.enqueueActions'];
const advice = 'assign, raise, log, cancel or enqueueActions; side effects belong in a task';

/** XState looks for an initial state when it is first needed. @throws Rejection with the state of each that is not there */
export function checkInitials(machine: AnyStateMachine): void {
  const rejections = new RejectionList();
  for (const node of nodesOf(machine)) rejections.try(() => checkInitial(node));
  rejections.throw('a graph');
}

function checkInitial(node: AnyStateNode): void {
  if (node.type !== 'compound') return;
  try {
    // The getter resolves it.
    void node.initial;
  } catch {
    const { initial } = node.config;
    const states = Object.keys(node.states);
    const place = [configPath(node), 'initial'].filter((part) => part !== '').join('.');
    const expected = `one of ${states.slice(0, 20).join(', ')}${didYouMean(String(initial), states)}`;
    throw new Rejection(`initial ${shownJson(initial)} of state ${node.id}, which it does not have`, expected, {
      place,
    });
  }
}

/** @throws Rejection for actions with side effects */
export function checkActions(machine: AnyStateMachine): void {
  const rejections = new RejectionList();
  for (const node of nodesOf(machine))
    for (const action of new Set(actionsOf(node))) rejections.try(() => checkAction(action, machine, node));
  rejections.throw('a graph');
}

function checkAction(action: unknown, machine: AnyStateMachine, node: AnyStateNode): void {
  const name = nameOf(action);
  const behind = behindOf(action, machine);
  const label = name === undefined ? '' : ` '${name}'`;
  const where = { place: configPath(node) };
  if (behind === undefined) {
    throw new Rejection(`action${label} in state ${node.id}, which does not exist`, advice, where);
  }
  const type = typeOf(behind);
  if (type !== undefined && allowed.includes(type)) return;
  throw new Rejection(
    `action${label} (${type?.replace('xstate.', '') ?? 'a custom function'}) in state ${node.id}`,
    advice,
    where,
  );
}

/** Returns the implementation of an action that has a name; undefined if there is none. */
function behindOf(action: unknown, { implementations }: AnyStateMachine): unknown {
  const name = nameOf(action);
  return name === undefined ? action : (implementations.actions as Record<string, unknown>)[name];
}

/** Functions, such as the one that `assign` returns, have a type too. */
function typeOf(action: unknown): string | undefined {
  const type: unknown = typeof action === 'function' || isObject(action) ? Reflect.get(action, 'type') : undefined;
  return typeof type === 'string' ? type : undefined;
}

function nameOf(action: unknown): string | undefined {
  if (typeof action === 'string') return action;
  if (typeof action !== 'object' || action === null) return undefined;
  return 'type' in action && typeof action.type === 'string' ? action.type : shownJson(action);
}

/** @throws Rejection if no path through the states leads to the machine's end */
export function checkEnds(machine: AnyStateMachine): void {
  const unsent = unsentEvents(machine);
  const isSent = (_: AnyStateNode, event: string) => unsent.every((one) => one.event !== event);
  if (canEnd(machine.root, reachableStates(machine, isSent))) return;
  const [first] = unsent;
  if (first === undefined || !canEnd(machine.root, reachableStates(machine))) {
    throw new Rejection('a machine that cannot end', "a reachable final state (type: 'final') at the top level");
  }
  throw new Rejection(
    `a machine that cannot end without event '${first.event}' in state ${first.node.id}, which nothing sends`,
    "an invoke in its place, with onDone: a wait for the node is 'Task.Wait.Notification'; or an action that raises it",
    { place: configPath(first.node) },
  );
}

/** Returns the events that states wait for and that nothing sends: no task's end, no timer, and no action raises them. */
export function unsentEvents(machine: AnyStateMachine): { event: string; node: AnyStateNode }[] {
  const nodes = nodesOf(machine);
  const raised = new Set<string>();
  for (const action of nodes.flatMap(actionsOf).map((one) => behindOf(one, machine))) {
    const type = typeOf(action);
    if (type === 'xstate.enqueueActions') return [];
    if (type !== 'xstate.raise') continue;
    const event = property((action as { event?: unknown }).event, 'type');
    // It is known only when the action runs.
    if (typeof event !== 'string') return [];
    raised.add(event);
  }
  const isSent = (event: string) =>
    event === '' ||
    event === '*' ||
    event.startsWith('xstate.') ||
    [...raised].some((one) => one === event || (event.endsWith('.*') && `${one}.`.startsWith(event.slice(0, -1))));
  return nodes.flatMap((node) => node.ownEvents.filter((event) => !isSent(event)).map((event) => ({ event, node })));
}

/**
 * Whether the machine may end successfully although these invokes fail. Guards are ignored, so only `false` is certain.
 * @param fails receives an invoke's `src` and `id`
 */
export function canSucceed(machine: AnyStateMachine, fails: (src: string, id: string) => boolean): boolean {
  const opens = (node: AnyStateNode, event: string, reached: ReadonlySet<AnyStateNode>): boolean => {
    if (event === `xstate.done.state.${node.id}`) return canEnd(node, reached);
    const done = node.invoke.find(({ id }) => event === `xstate.done.actor.${id}`);
    return done === undefined || !fails(String(done.src), done.id);
  };
  return canEnd(machine.root, reachableStates(machine, opens), (end) => !end.tags.includes(FAILED));
}

/**
 * Returns the final states of the machine that end it as succeeded, although only failures lead to them.
 * @param isFailure of an event that takes a state further
 */
export function endsOfFailures(
  machine: AnyStateMachine,
  isFailure: (node: AnyStateNode, event: string) => boolean,
): AnyStateNode[] {
  const all = reachableStates(machine);
  const withoutFailures = reachableStates(machine, (node, event, reached) =>
    event === `xstate.done.state.${node.id}` ? canEnd(node, reached) : !isFailure(node, event),
  );
  const { root } = machine;
  const regions = root.type === 'parallel' ? Object.values(root.states) : [root];
  return regions
    .flatMap(({ states }) => Object.values(states))
    .filter((node) => node.type === 'final' && all.has(node) && !withoutFailures.has(node))
    .filter(({ tags }) => ![...tags, ...root.tags].includes(FAILED));
}

type IsFinal = (node: AnyStateNode) => boolean;

/** A compound state ends in a final child; a parallel state when all its regions end. */
function canEnd(node: AnyStateNode, reached: ReadonlySet<AnyStateNode>, counts: IsFinal = () => true): boolean {
  const children = Object.values(node.states);
  if (node.type === 'parallel') return children.every((child) => canEnd(child, reached));
  return children.some((child) => child.type === 'final' && reached.has(child) && counts(child));
}

type Opens = (node: AnyStateNode, event: string, reached: ReadonlySet<AnyStateNode>) => boolean;

/** @param opens whether the event can occur in that state, given the states reached so far */
function reachableStates(machine: AnyStateMachine, opens: Opens = () => true): Set<AnyStateNode> {
  const reached = new Set<AnyStateNode>([machine.root]);
  // The state that enables a transition may be reached later.
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    // Iterating a set also visits states that are added in the meantime.
    for (const node of reached) {
      const takenTransitions = [...node.transitions].flatMap(([event, transitions]) =>
        opens(node, event, reached) ? transitions : [],
      );
      for (const next of [
        ...enteredStates(node),
        ...[...takenTransitions, ...(node.always ?? [])].flatMap((one) => one.target ?? []),
      ]) {
        for (let up: AnyStateNode | undefined = next; up !== undefined; up = up.parent) reached.add(up);
      }
    }
  }
  return reached;
}

/** Returns the states that are entered with a state. */
export function enteredStates(node: AnyStateNode): readonly AnyStateNode[] {
  if (node.type === 'parallel') return Object.values(node.states);
  return node.type === 'compound' ? (node.initial.target ?? []) : [];
}
