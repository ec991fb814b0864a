/**
 * The durable interpreter: applies XState's pure transitions to a workflow's machines until no event is left. It has no
 * state; the kinds in `actor-kinds.ts` define how parents handle their children.
 *
 * 1. Machines run only here, by `stepper.ts`; no action is executed.
 * 2. `raise` with a delay becomes a timer of the row, and `cancel` removes it.
 * 3. `invoke` and `spawnChild` become a machine, a task run or an operation, depending on the kind.
 * 4. After a snapshot was restored, XState does not say which child a `stopChild` means. The stopped children are
 *    therefore computed: an invoked child stops when no active state invokes it, and every child stops when its machine
 *    ends.
 * 5. A machine whose own code throws ends with that error; the step continues.
 */
import type { AnyStateMachine } from 'xstate';
import { property } from '../../vocabulary/json.ts';
import {
  type ActorEvent,
  actorOf,
  drop,
  isTaskRun,
  type QueuedEvent,
  type StepBuilder,
  taskRunNumber,
} from './builder.ts';
import type { Ending, Logic, LogicStep } from './logic.ts';
import type { Action } from './pure.ts';
import type { ActorSnapshot } from './row.ts';
import { logicOf } from './stepper.ts';

export interface Spawn {
  id: string;
  src: string;
  input: unknown;
}

/** A child that has neither ended nor been stopped. */
export interface Child {
  invokeId: string;
  /** The key of an actor, or the id of an operation. */
  key: string;
}

/** The interface of a kind of machine to the interpreter. */
export interface ActorKind {
  machine(builder: StepBuilder, key: string, actor: Omit<ActorSnapshot, 'snapshot'>): AnyStateMachine;
  /**
   * Returns the step with the values that a restart reads.
   * @param before the context of the step before. @throws Error for a step that cannot be saved
   */
  savedForm?(builder: StepBuilder, step: LogicStep, before: unknown): LogicStep;
  /** Returns the event with additional fields, for the machine's guards. */
  dress?(builder: StepBuilder, key: string, event: ActorEvent): ActorEvent;
  children(builder: StepBuilder, key: string): readonly Child[];
  spawn(builder: StepBuilder, key: string, child: Spawn): void;
  stop(builder: StepBuilder, child: Child): void;
  onEnd(builder: StepBuilder, key: string, actor: ActorSnapshot, ending: Ending): void;
}

type Kinds = (key: string) => ActorKind;

/** Limits graphs that raise events to themselves endlessly, which would block the process. */
const TRANSITION_LIMIT = 10_000;

export function interpret(builder: StepBuilder, kinds: Kinds): void {
  for (let n = 0; ; n += 1) {
    const queue = builder.queue.shift();
    if (queue === undefined) return;
    if (n > TRANSITION_LIMIT) throw new Error(`the step did not finish within ${TRANSITION_LIMIT} transitions`);
    deliver(builder, kinds(queue.to), queue);
  }
}

function deliver(builder: StepBuilder, kind: ActorKind, queue: QueuedEvent): void {
  const actor: Omit<ActorSnapshot, 'snapshot'> | undefined =
    'actor' in queue ? queue.actor : builder.row.actors[queue.to];
  if (actor === undefined || actor.ended) return;
  try {
    const logic = logicOf(kind.machine(builder, queue.to, actor));
    const next = 'actor' in queue ? logic.begin(queue.input) : stepActor(builder, kind, logic, queue);
    const context = property(property(actor, 'snapshot'), 'context');
    settle(builder, kind, queue.to, actor, kind.savedForm?.(builder, next, context) ?? next);
  } catch (error) {
    end(builder, kind, queue.to, { snapshot: { value: null, context: null }, ...actor }, { error });
  }
}

function stepActor(
  builder: StepBuilder,
  kind: ActorKind,
  logic: Logic,
  queue: Extract<QueuedEvent, { event: unknown }>,
): LogicStep {
  const event = kind.dress?.(builder, queue.to, queue.event) ?? queue.event;
  return logic.next(actorOf(builder, queue.to).snapshot, event);
}

function settle(
  builder: StepBuilder,
  kind: ActorKind,
  key: string,
  before: Omit<ActorSnapshot, 'snapshot'>,
  { snapshot, actions, isOver, ending }: LogicStep,
): void {
  const actor: ActorSnapshot = 'snapshot' in before ? { ...before, snapshot } : { snapshot, ...before };
  builder.actors.set(key, actor);
  const spawns = applyActions(builder, key, actions);
  for (const child of kind.children(builder, key)) {
    const { invokeId } = child;
    if (isOver(invokeId) || spawns.some(({ id }) => id === invokeId)) kind.stop(builder, child);
  }
  for (const spawn of spawns) if (!isOver(spawn.id)) kind.spawn(builder, key, spawn);
  if (ending !== undefined) end(builder, kind, key, actor, ending);
}

function end(builder: StepBuilder, kind: ActorKind, key: string, actor: ActorSnapshot, ending: Ending): void {
  for (const child of kind.children(builder, key)) kind.stop(builder, child);
  drop(builder, key);
  kind.onEnd(builder, key, actor, ending);
}

/** Applies timers immediately. Returns the children to start, because others must be stopped first. */
function applyActions(builder: StepBuilder, key: string, actions: Action[]): Spawn[] {
  const spawns: Spawn[] = [];
  for (const action of actions) {
    const params = action.params as Record<string, unknown> | undefined;
    if (action.type === 'xstate.spawnChild') spawns.push(params as unknown as Spawn);
    else if (action.type === 'xstate.cancel') builder.timers.delete(timerId(key, String(params?.sendId)));
    else if (action.type === 'xstate.raise') setTimer(builder, key, params as unknown as Raise);
  }
  return spawns;
}

interface Raise {
  id: string | undefined;
  delay: number | undefined;
  event: { type: string };
}

const timerId = (key: string, sendId: string): string => `${key} ${sendId}`;

/** The latest time that a Date can represent. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** Ignores a raise without a delay, which XState has already processed, and an infinite delay, which never fires. */
function setTimer(builder: StepBuilder, key: string, { id, delay, event }: Raise): void {
  if (delay === undefined || !Number.isFinite(delay)) return;
  const at = Math.min(Math.ceil(builder.env.now + delay), LAST_MOMENT);
  builder.timers.set(timerId(key, id ?? event.type), { actor: key, event, at });
}

/** Delivers every due timer, earliest first, each together with its consequences. */
export function runTimers(builder: StepBuilder, kinds: Kinds): void {
  for (;;) {
    const due = Object.entries(builder.row.timers)
      .filter(([, timer]) => timer.at <= builder.env.now)
      .sort(([, a], [, b]) => a.at - b.at);
    if (due.length === 0) return;
    for (const [id, timer] of due) {
      // An earlier one may have cancelled it, or set it again: then it comes after these.
      if (builder.row.timers[id] !== timer) continue;
      builder.timers.delete(id);
      if (isTaskRun(timer.actor)) builder.touched.add(taskRunNumber(timer.actor));
      builder.queue.push({ to: timer.actor, event: timer.event });
      interpret(builder, kinds);
    }
  }
}
