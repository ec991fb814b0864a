/**
 * Machines stepped by tables that are made once: from its definition, XState takes ten times as long for a step. The
 * machine stays the meaning; property tests hold the two equal.
 *
 * 1. A machine with parallel or history states, or with actions that `compiled-actions.ts` does not know, is
 *    interpreted by XState.
 * 2. A step that throws is interpreted again: it either uses something that only XState offers to an author's function,
 *    or fails with XState's error.
 * 3. The states that a transition leaves and enters are computed when it is first taken: otherwise the tables of a machine with many
 *    states below many transitions would have their product.
 */
import type { AnyStateMachine, AnyStateNode, EventObject } from 'xstate';
import { nodesOf } from '../../library/forms/machine-nodes.ts';
import { property } from '../../vocabulary/json.ts';
import {
  type CompiledAction,
  compiledAction,
  doneEvent,
  type GuardTest,
  guardOf,
  NotCompiled,
  outputOf,
  type RunningStep,
  spawnOf,
} from './compiled-actions.ts';
import type { Ending, Logic, LogicStep } from './logic.ts';
import {
  domainOf,
  enclosingNode,
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
  /** By event type: its choices, the innermost first. */
  choices: Map<string, readonly Choice[]>;
  always: readonly Choice[];
  /** Those taken so far. */
  moves: Map<Choice, Move>;
  /** By the state that is not left: what is done when those inside it are. */
  exits: Map<AnyStateNode | undefined, readonly (readonly CompiledAction[])[]>;
  isOver(invokeId: string): boolean;
}

/** A transition that may be taken. */
interface Choice {
  guard: GuardTest | undefined;
  actions: readonly CompiledAction[];
  transition: StateTransition;
}

interface Move {
  /** Actions of the states that are left, of the transition itself, and of the states that are entered. */
  actions: readonly (readonly CompiledAction[])[];
  /** Absent: the machine stays where it is. */
  to: Leaf | undefined;
}

/** Transitions of one step; more are a loop, which would block the process. */
export const STEP_LIMIT = 1_000;

/** Event types whose transitions are remembered, for each state. */
const TYPES_LIMIT = 100;

const always = () => true;

/** @returns undefined if only XState can interpret the machine */
export function compiledLogic(machine: AnyStateMachine, xstate: Logic): Logic | undefined {
  try {
    const tables = new CompiledLogic(machine);
    return {
      begin: (input) => tryStep(() => tables.begin(input)) ?? xstate.begin(input),
      next: (before, event) => tryStep(() => tables.next(before, event)) ?? xstate.next(before, event),
    };
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
}

function tryStep(step: () => LogicStep): LogicStep | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

class CompiledLogic implements Logic {
  readonly #machine: AnyStateMachine;
  readonly #leaves = new Map<AnyStateNode, Leaf>();
  readonly #choices = new Map<StateTransition, Choice>();
  /** By the list of actions, or of invokes. */
  readonly #known = new Map<readonly unknown[], readonly CompiledAction[]>();
  readonly #first: Move;

  /** @throws NotCompiled */
  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
    const nodes = nodesOf(machine);
    const invoked = invokesIn(nodes);
    if (nodes.some(({ type }) => type === 'parallel' || type === 'history')) throw new NotCompiled();
    for (const node of nodes) this.#compile(node);
    for (const node of nodes) if (node.type !== 'compound') this.#leaves.set(node, this.#leafOf(node, invoked));
    const to = this.#leaf(leafOf(machine.root));
    this.#first = { actions: this.#entries(to.path, () => true), to };
  }

  /** Whether all of it can be compiled must be known before the first step. */
  #compile(node: AnyStateNode): void {
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])]) {
      const { guard, actions, target = [] } = transition;
      if (target.length > 1) throw new NotCompiled();
      this.#choices.set(transition, {
        guard: guard === undefined ? undefined : guardOf(this.#machine, guard),
        actions: this.#actions(actions),
        transition,
      });
    }
    this.#entries([node], () => true);
    this.#actions(node.exit);
  }

  begin(input: unknown): LogicStep {
    const { context = {} } = this.#machine.config as { context?: unknown };
    const made = typeof context === 'function' ? { ...context({ input }) } : context;
    const event = { type: 'xstate.init', input } as EventObject;
    return this.#run({ context: made, event, actions: [], raised: [] }, this.#first, this.#first.to as Leaf);
  }

  /** @throws Error if the machine does not have the state */
  next({ value, context }: { value: unknown; context: unknown }, event: EventObject): LogicStep {
    const node = leafAt(this.#machine.root, value);
    if (node === undefined) throw new Error(`${this.#machine.id} has no state ${JSON.stringify(value)}`);
    const leaf = this.#leaf(node);
    const running: RunningStep = { context, event, actions: [], raised: [] };
    const move = this.#chosenMove(leaf, this.#on(leaf, event.type), running);
    if (move !== undefined || !event.type.startsWith('xstate.error.actor')) return this.#run(running, move, leaf);
    const ending: Ending = { error: property(event, 'error') };
    return { snapshot: { value: leaf.value, context }, actions: [], isOver: always, ending };
  }

  /**
   * Takes transitions until none is left, for the event and for the events that the machine raises.
   * @throws Error for a loop; XState, which then takes the step, describes it
   */
  #run(running: RunningStep, first: Move | undefined, from: Leaf): LogicStep {
    let [leaf, move] = [from, first];
    let isStill = false;
    for (let taken = 0; taken < STEP_LIMIT; taken++) {
      const before = running.context;
      for (const actions of move?.actions ?? []) for (const action of actions) action(running);
      isStill = isStill && running.context === before && (move?.to ?? leaf) === leaf;
      leaf = move?.to ?? leaf;
      if (leaf.node.type === 'final' && leaf.path.length === 2) return this.#endStep(leaf, running);
      // A transition without an event that has changed nothing is not taken again.
      move = isStill ? undefined : this.#chosenMove(leaf, leaf.always, running);
      isStill = move !== undefined;
      if (move !== undefined) continue;
      const raised = running.raised.shift();
      if (raised === undefined) {
        const { context, actions } = running;
        return { snapshot: { value: leaf.value, context }, actions, isOver: leaf.isOver };
      }
      running.event = raised;
      move = this.#chosenMove(leaf, this.#on(leaf, raised.type), running);
    }
    throw new Error('a loop of transitions');
  }

  #endStep(leaf: Leaf, running: RunningStep): LogicStep {
    const { node, path, value } = leaf;
    const output = outputOf(this.#machine.root, running, doneEvent(node, running));
    for (const actions of this.#exits(leaf, undefined)) for (const action of actions) action(running);
    const tags = new Set(path.flatMap((each) => each.tags));
    const snapshot = { value, context: running.context };
    return { snapshot, actions: running.actions, isOver: always, ending: { output, tags, value } };
  }

  #leafOf(node: AnyStateNode, invoked: ReadonlySet<string>): Leaf {
    const path = pathTo(node);
    const active = invokesIn(path);
    return {
      node,
      value: stateValueOf(node),
      path,
      choices: new Map(),
      always: this.#choicesOf(path.toReversed().map((each) => each.always ?? [])),
      moves: new Map(),
      exits: new Map(),
      isOver: (id) => invoked.has(id) && !active.has(id),
    };
  }

  #leaf(node: AnyStateNode): Leaf {
    return this.#leaves.get(node) as Leaf;
  }

  #on(leaf: Leaf, type: string): readonly Choice[] {
    const known = leaf.choices.get(type);
    if (known !== undefined) return known;
    const choices = this.#choicesOf(leaf.path.toReversed().map((node) => transitionsOn(node, type)));
    if (leaf.choices.size < TYPES_LIMIT) leaf.choices.set(type, choices);
    return choices;
  }

  /** Returns those that can be taken: none after one without a guard. */
  #choicesOf(transitions: readonly (readonly StateTransition[])[]): readonly Choice[] {
    const choices: Choice[] = [];
    for (const own of transitions) {
      for (const transition of own) {
        const choice = this.#choices.get(transition) as Choice;
        choices.push(choice);
        if (choice.guard === undefined) return choices;
      }
    }
    return choices;
  }

  #chosenMove(leaf: Leaf, choices: readonly Choice[], running: RunningStep): Move | undefined {
    const choice = choices.find(({ guard }) => guard === undefined || guard(running));
    if (choice === undefined) return undefined;
    const known = leaf.moves.get(choice);
    if (known !== undefined) return known;
    const move = this.#moveOf(leaf, choice);
    leaf.moves.set(choice, move);
    return move;
  }

  #moveOf(leaf: Leaf, { actions, transition: { target, source, reenter } }: Choice): Move {
    const [aim] = (target ?? []) as readonly AnyStateNode[];
    if (aim === undefined) return { actions: [actions], to: undefined };
    const domain = domainOf(source as AnyStateNode, aim, reenter);
    const to = this.#leaf(leafOf(aim));
    const inside = to.path.filter((node) => isUnder(node, domain));
    const entries = this.#entries(inside, (node) => node === aim || isUnder(node, aim));
    return { actions: [...this.#exits(leaf, domain), actions, ...entries], to };
  }

  /** The innermost state is left first. @param domain undefined: all are left */
  #exits({ path, exits }: Leaf, domain: AnyStateNode | undefined): readonly (readonly CompiledAction[])[] {
    const known = exits.get(domain);
    if (known !== undefined) return known;
    const left = path.filter((node) => isUnder(node, domain)).toReversed();
    const actions = left.map(({ exit }) => this.#actions(exit));
    exits.set(domain, actions);
    return actions;
  }

  /** @param isDefault whether the initial transition of the state is taken */
  #entries(nodes: readonly AnyStateNode[], isDefault: (node: AnyStateNode) => boolean): (readonly CompiledAction[])[] {
    return nodes.flatMap((node) => [
      this.#actions(node.entry),
      this.#spawns(node),
      ...(node.type === 'compound' && isDefault(node) ? [this.#actions(node.initial.actions)] : []),
      ...(node.type === 'final' ? [[raiseDone(node)]] : []),
    ]);
  }

  #spawns({ invoke }: AnyStateNode): readonly CompiledAction[] {
    return this.#once(invoke, () => invoke.map(spawnOf));
  }

  #actions(actions: readonly unknown[]): readonly CompiledAction[] {
    return this.#once(actions, () => actions.map((action) => compiledAction(this.#machine, action)));
  }

  #once(of: readonly unknown[], make: () => CompiledAction[]): readonly CompiledAction[] {
    const known = this.#known.get(of);
    if (known !== undefined) return known;
    const actions = make();
    this.#known.set(of, actions);
    return actions;
  }
}

/** The end of a state's last state is an event for the machine. */
function raiseDone(node: AnyStateNode): CompiledAction {
  const parent = enclosingNode(node) as AnyStateNode;
  return (running) => running.raised.push(doneEvent(parent, running, node));
}
