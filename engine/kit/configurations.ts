/**
 * The configurations of a graph: its machine, the labels whose tasks run, and its timers. A task is only its end here,
 * so that a graph has few configurations, however its tasks work. Pure; stepped by the engine's own stepper.
 *
 * Timers may fire in any order, so a configuration can be possible here that no workflow reaches.
 */
import type { Snapshot as AnySnapshot, AnyStateMachine, EventObject } from 'xstate';
import { savedStep } from '../durable/step/json-context.ts';
import type { Ending, LogicStep } from '../durable/step/logic.ts';
import type { Action } from '../durable/step/pure.ts';
import type { Snapshot } from '../durable/step/row.ts';
import { logicOf } from '../durable/step/stepper.ts';
import type { Graph } from '../library/types.ts';
import { UnsavableError } from '../vocabulary/saved-json.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import { notedWorld, runnerIn } from './step-world.ts';

interface Alarm {
  delay: number;
  event: EventObject;
}

/** The engine's event for the end of a task. */
interface EndOfTask extends EventObject {
  output?: unknown;
  error?: unknown;
  actorId: string;
}

/** A point in a run of a graph; a snapshot for XState's functions on graphs of states. */
export type Configuration = AnySnapshot<unknown> & {
  machine: Snapshot;
  /** The labels whose tasks run, by invoke id. */
  running: ReadonlyMap<string, string>;
  /** By the id of the timer. */
  timers: ReadonlyMap<string, Alarm>;
  ending: Ending | undefined;
  /** Why the graph's own code ended it. */
  thrown?: string;
  /** It made a value that cannot be saved: no output of a task explains that. */
  isUnsavable?: boolean;
  /** The clock and the random numbers that the graph's code read in the step to it, such as `Date.now()`. */
  reads?: readonly string[];
};

const none = new Map<string, never>();

/** @param machine the graph's, or an equal one */
export function stepsOf(graph: Graph, machine: AnyStateMachine) {
  const logic = logicOf(machine);
  const reads = new Set<string>();
  const noteReads = runnerIn(notedWorld((read) => reads.add(read)));

  /** @param failure of the task that has ended: a graph that does not handle it ends with it */
  function configurationOf(
    before: Pick<Configuration, 'running' | 'timers'>,
    stepped: LogicStep,
    failure?: unknown,
  ): Configuration {
    const running = new Map([...before.running].filter(([id]) => !stepped.isOver(id)));
    const timers = new Map(before.timers);
    for (const { type, params } of stepped.actions) apply(type, params as Parameters, stepped, { running, timers });
    const { ending, snapshot } = stepped;
    const common = { status: 'active', output: undefined, error: undefined, machine: snapshot } as const;
    if (ending === undefined) return { ...common, running, timers, ending };
    const isOwn = 'error' in ending && (failure === undefined || ending.error !== failure);
    const thrown = isOwn ? { thrown: messageOf(ending.error) } : {};
    return { ...common, running: none, timers: none, ending, ...thrown };
  }

  function apply(
    type: Action['type'],
    params: Parameters,
    { isOver }: LogicStep,
    { running, timers }: { running: Map<string, string>; timers: Map<string, Alarm> },
  ): void {
    if (type === 'xstate.spawnChild' && !isOver(params.id)) {
      running.set(params.id, graph.labelOf(params.src, params.id));
    } else if (type === 'xstate.raise' && params.delay !== undefined && Number.isFinite(params.delay)) {
      timers.set(params.id ?? params.event.type, { delay: params.delay, event: params.event });
    } else if (type === 'xstate.cancel') timers.delete(params.sendId);
  }

  /** Code of the graph that throws ends it, as in the engine. */
  function tryConfiguration(
    before: Configuration | undefined,
    step: () => LogicStep,
    failure?: unknown,
  ): Configuration {
    reads.clear();
    const next = madeConfiguration(before, () => noteReads(step), failure);
    return reads.size === 0 ? next : { ...next, reads: [...reads] };
  }

  function madeConfiguration(
    before: Configuration | undefined,
    step: () => LogicStep,
    failure?: unknown,
  ): Configuration {
    try {
      const next = step();
      const stepped = graph.kind === 'machine' ? savedStep(next, before?.machine.context) : next;
      return configurationOf(before ?? { running: none, timers: none }, stepped, failure);
    } catch (error) {
      const machine = before?.machine ?? { value: null, context: null };
      const ended = { running: none, timers: none, machine, ending: { error }, thrown: messageOf(error) };
      const isUnsavable = error instanceof UnsavableError;
      return { status: 'active', output: undefined, error: undefined, ...ended, isUnsavable };
    }
  }

  return {
    begin: (input: unknown): Configuration => tryConfiguration(undefined, () => logic.begin(input)),

    /** The task with this invoke id ends. */
    afterEnd(before: Configuration, id: string, event: EndOfTask): Configuration {
      const running = new Map([...before.running].filter(([other]) => other !== id));
      return tryConfiguration({ ...before, running }, () => logic.next(before.machine, event), event.error);
    },

    /** The timer fires. */
    afterTimer(before: Configuration, timer: string): Configuration {
      const timers = new Map([...before.timers].filter(([other]) => other !== timer));
      const { event } = before.timers.get(timer) as Alarm;
      return tryConfiguration({ ...before, timers }, () => logic.next(before.machine, event));
    },
  };
}

/** The parameters of the actions above; each action has some of them. */
interface Parameters {
  id: string;
  src: string;
  sendId: string;
  delay?: number;
  event: EventObject;
}
