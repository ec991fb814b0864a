/**
 * Checks, without running it, that a graph's machine has no side effects of its own and can end. Actions collected by
 * `enqueueActions` are not visible here; the engine rejects those at run time.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { FAILED } from '../define/graph.ts';
import { isObject } from '../define/json.ts';
import { nodesOf } from './loaded-task.ts';
import { Rejection, shown } from './rejection.ts';

const allowed = ['xstate.assign', 'xstate.raise', 'xstate.log', 'xstate.cancel', 'xstate.enqueueActions'];
const advice = 'assign, raise, log, cancel or enqueueActions; side effects belong in a task';

/** Returns the transitions of a state, its eventless ones included. */
export const transitionsOf = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** @throws Refusal for an action with side effects */
export function checkActions(machine: AnyStateMachine): void {
  const named = machine.implementations.actions as Record<string, unknown>;
  for (const node of nodesOf(machine)) {
    const initial: readonly unknown[] = node.type === 'compound' ? node.initial.actions : [];
    const inTransitions = transitionsOf(node).flatMap((transition) => transition.actions as readonly unknown[]);
    for (const action of [...node.entry, ...node.exit, ...initial, ...inTransitions])
      checkAction(action, named, node.id);
  }
}

function checkAction(action: unknown, named: Record<string, unknown>, at: string): void {
  const name = typeof action === 'string' ? action : nameOf(action);
  const behind = name === undefined ? action : named[name];
  const label = name === undefined ? '' : ` '${name}'`;
  if (behind === undefined) throw new Rejection(`action${label} in state ${at}, which does not exist`, advice);
  // Functions, such as the one that `assign` returns, have a type too.
  const type: unknown = typeof behind === 'function' || isObject(behind) ? Reflect.get(behind, 'type') : undefined;
  if (typeof type === 'string' && allowed.includes(type)) return;
  const what = typeof type === 'string' ? type.replace('xstate.', '') : 'a custom function';
  throw new Rejection(`action${label} (${what}) in state ${at}`, advice);
}

function nameOf(action: unknown): string | undefined {
  if (typeof action !== 'object' || action === null) return undefined;
  return 'type' in action && typeof action.type === 'string' ? action.type : shown(action);
}

/** @throws Refusal if no path through the states leads to the machine's end */
export function checkEnds(machine: AnyStateMachine): void {
  if (canEnd(machine.root, reachable(machine))) return;
  throw new Rejection('a machine that cannot end', "a reachable final state (type: 'final') at the top level");
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
  return canEnd(machine.root, reachable(machine, opens), (end) => !end.tags.includes(FAILED));
}

type Final = (node: AnyStateNode) => boolean;

/** A compound state ends in a final child; a parallel state when all its regions end. */
function canEnd(node: AnyStateNode, reached: ReadonlySet<AnyStateNode>, counts: Final = () => true): boolean {
  const children = Object.values(node.states);
  if (node.type === 'parallel') return children.every((child) => canEnd(child, reached));
  return children.some((child) => child.type === 'final' && reached.has(child) && counts(child));
}

type Opens = (node: AnyStateNode, event: string, reached: ReadonlySet<AnyStateNode>) => boolean;

/** @param opens whether the event can occur in that state, given the states reached so far */
function reachable(machine: AnyStateMachine, opens: Opens = () => true): Set<AnyStateNode> {
  const reached = new Set<AnyStateNode>([machine.root]);
  // The state that enables a transition may be reached later.
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    // Iterating a set also visits states that are added meanwhile.
    for (const node of reached) {
      const taken = [...node.transitions].flatMap(([event, found]) => (opens(node, event, reached) ? found : []));
      for (const next of [...entered(node), ...[...taken, ...(node.always ?? [])].flatMap((one) => one.target ?? [])]) {
        for (let up: AnyStateNode | undefined = next; up !== undefined; up = up.parent) reached.add(up);
      }
    }
  }
  return reached;
}

/** Returns the states that are entered with a state. */
export function entered(node: AnyStateNode): readonly AnyStateNode[] {
  if (node.type === 'parallel') return Object.values(node.states);
  return node.type === 'compound' ? (node.initial.target ?? []) : [];
}
