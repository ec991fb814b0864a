/**
 * Machines stepped by tables that are made once: from its definition, XState takes ten times as long for a step. The
 * machine stays the meaning; property tests hold the two equal.
 *
 * 1. A machine with parallel or history states, or with actions that `compiled-actions.ts` does not know, is
 *    interpreted by XState.
 * 2. A step that throws is interpreted again: it either uses something that only XState offers to an author's function,
 *    or fails with XState's error.
 */
import type { AnyStateMachine, AnyStateNode, EventObject } from 'xstate';
import { property } from '../define/json.ts';
import { nodesOf } from '../library/loaded-task.ts';
import {
  type Act,
  actOf,
  doneEvent,
  type GuardTest,
  guardOf,
  NotCompiled,
  outputOf,
  type Running,
  spawnOf,
} from './compiled-actions.ts';
import type { Ending, Logic, Stepped } from './logic.ts';
import {
  domainOf,
  enclosing,
  invokesIn,
  isUnder,
  leafAt,
  leafOf,
  pathTo,
  type StateTransition,
  stateValueOf,
  transitionsOn,
} from './state-nodes.ts';

/** A state without states of its own. The machine is always in exactly one. */
interface Leaf {
  node: AnyStateNode;
  value: unknown;
  /** From the root to `node`. */
  path: AnyStateNode[];
  /** By event type: its transitions, the innermost first. */
  moves: Map<string, Move[]>;
  always: Move[];
  /** Of all states, for the end of the machine. */
  exits: Act[];
  isOver(invokeId: string): boolean;
}

interface Move {
  guard: GuardTest | undefined;
  /** Of the states that are left, of the transition itself, and of the states that are entered. */
  acts: Act[];
  /** Absent: the machine stays where it is. */
  to: Leaf | undefined;
}

/** Transitions of one step; more are a loop, which would block the process. */
export const TRANSITIONS_LIMIT = 1_000;

/** Event types whose transitions are remembered, for each state. */
const TYPES_LIMIT = 100;

const always = () => true;

/** @returns undefined if only XState can interpret the machine */
export function compiled(machine: AnyStateMachine, xstate: Logic): Logic | undefined {
  try {
    const tables = new Compiled(machine);
    return {
      begin: (input) => tried(() => tables.begin(input)) ?? xstate.begin(input),
      next: (before, event) => tried(() => tables.next(before, event)) ?? xstate.next(before, event),
    };
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
}

function tried(step: () => Stepped): Stepped | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

class Compiled implements Logic {
  readonly #machine: AnyStateMachine;
  readonly #leaves = new Map<AnyStateNode, Leaf>();
  readonly #first: Move;

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
    const nodes = nodesOf(machine);
    const invoked = invokesIn(nodes);
    if (nodes.some(({ type }) => type === 'parallel' || type === 'history')) throw new NotCompiled();
    for (const node of nodes) if (node.type !== 'compound') this.#leaves.set(node, this.#leafOf(node, invoked));
    for (const leaf of this.#leaves.values()) {
      leaf.always = leaf.path.toReversed().flatMap((node) => this.#movesOf(leaf, node.always ?? []));
      for (const node of leaf.path) for (const type of node.transitions.keys()) this.#on(leaf, type);
    }
    const to = this.#leaf(leafOf(machine.root));
    this.#first = { guard: undefined, acts: this.#entries(to.path, () => true), to };
  }

  begin(input: unknown): Stepped {
    const { context = {} } = this.#machine.config as { context?: unknown };
    const made = typeof context === 'function' ? { ...context({ input }) } : context;
    const event = { type: 'xstate.init', input } as EventObject;
    return this.#run({ context: made, event, actions: [], raised: [] }, this.#first, this.#first.to as Leaf);
  }

  /** @throws Error if the machine does not have the state */
  next({ value, context }: { value: unknown; context: unknown }, event: EventObject): Stepped {
    const node = leafAt(this.#machine.root, value);
    if (node === undefined) throw new Error(`${this.#machine.id} has no state ${JSON.stringify(value)}`);
    const leaf = this.#leaf(node);
    const running: Running = { context, event, actions: [], raised: [] };
    const move = chosen(this.#on(leaf, event.type), running);
    if (move !== undefined || !event.type.startsWith('xstate.error.actor')) return this.#run(running, move, leaf);
    const ending: Ending = { error: property(event, 'error') };
    return { snapshot: { value: leaf.value, context }, actions: [], isOver: always, ending };
  }

  /**
   * Takes transitions until none is left, for the event and for the events that the machine raises.
   * @throws Error for a loop; XState, which then takes the step, describes it
   */
  #run(running: Running, first: Move | undefined, from: Leaf): Stepped {
    let [leaf, move] = [from, first];
    let isStill = false;
    for (let taken = 0; taken < TRANSITIONS_LIMIT; taken++) {
      const before = running.context;
      for (const act of move?.acts ?? []) act(running);
      isStill = isStill && running.context === before && (move?.to ?? leaf) === leaf;
      leaf = move?.to ?? leaf;
      if (leaf.node.type === 'final' && leaf.path.length === 2) return this.#ended(leaf, running);
      // A transition without an event that has changed nothing is not taken again.
      move = isStill ? undefined : chosen(leaf.always, running);
      isStill = move !== undefined;
      if (move !== undefined) continue;
      const raised = running.raised.shift();
      if (raised === undefined) {
        const { context, actions } = running;
        return { snapshot: { value: leaf.value, context }, actions, isOver: leaf.isOver };
      }
      running.event = raised;
      move = chosen(this.#on(leaf, raised.type), running);
    }
    throw new Error('a loop of transitions');
  }

  #ended({ node, path, value, exits }: Leaf, running: Running): Stepped {
    const output = outputOf(this.#machine.root, running, doneEvent(node, running));
    for (const act of exits) act(running);
    const tags = new Set(path.flatMap((each) => each.tags));
    const snapshot = { value, context: running.context };
    return { snapshot, actions: running.actions, isOver: always, ending: { output, tags, value } };
  }

  #leafOf(node: AnyStateNode, invoked: ReadonlySet<string>): Leaf {
    const path = pathTo(node);
    const active = invokesIn(path);
    const exits = this.#exits(path);
    return {
      node,
      value: stateValueOf(node),
      path,
      moves: new Map(),
      always: [],
      exits,
      isOver: (id) => invoked.has(id) && !active.has(id),
    };
  }

  #leaf(node: AnyStateNode): Leaf {
    return this.#leaves.get(node) as Leaf;
  }

  #on(leaf: Leaf, type: string): Move[] {
    const known = leaf.moves.get(type);
    if (known !== undefined) return known;
    const moves = leaf.path.toReversed().flatMap((node) => this.#movesOf(leaf, transitionsOn(node, type)));
    if (leaf.moves.size < TYPES_LIMIT) leaf.moves.set(type, moves);
    return moves;
  }

  #movesOf(leaf: Leaf, transitions: readonly StateTransition[]): Move[] {
    return transitions.map((transition) => this.#moveOf(leaf, transition));
  }

  #moveOf(leaf: Leaf, { target, source, actions, guard: given, reenter }: StateTransition): Move {
    const acts = this.#acts(actions);
    const guard = given === undefined ? undefined : guardOf(this.#machine, given);
    const [aim, ...others] = (target ?? []) as readonly AnyStateNode[];
    if (aim === undefined) return { guard, acts, to: undefined };
    if (others.length > 0) throw new NotCompiled();
    const domain = domainOf(source as AnyStateNode, aim, reenter);
    const isInside = (node: AnyStateNode) => isUnder(node, domain);
    const to = this.#leaf(leafOf(aim));
    const entries = this.#entries(to.path.filter(isInside), (node) => node === aim || isUnder(node, aim));
    return { guard, acts: [...this.#exits(leaf.path.filter(isInside)), ...acts, ...entries], to };
  }

  /** The innermost state is left first. */
  #exits(nodes: readonly AnyStateNode[]): Act[] {
    return nodes.toReversed().flatMap(({ exit }) => this.#acts(exit));
  }

  /** @param isDefault whether the initial transition of the state is taken */
  #entries(nodes: readonly AnyStateNode[], isDefault: (node: AnyStateNode) => boolean): Act[] {
    return nodes.flatMap((node) => [
      ...this.#acts(node.entry),
      ...node.invoke.map(spawnOf),
      ...(node.type === 'compound' && isDefault(node) ? this.#acts(node.initial.actions) : []),
      ...(node.type === 'final' ? [raiseDone(node)] : []),
    ]);
  }

  #acts(actions: readonly unknown[]): Act[] {
    return actions.map((action) => actOf(this.#machine, action));
  }
}

/** The end of a state's last state is an event for the machine. */
function raiseDone(node: AnyStateNode): Act {
  const parent = enclosing(node) as AnyStateNode;
  return (running) => running.raised.push(doneEvent(parent, running, node));
}

const chosen = (moves: readonly Move[], running: Running): Move | undefined =>
  moves.find(({ guard }) => guard === undefined || guard(running));
