/** The ways on from a configuration: each end of each running task, and each timer. */
import type { AnyStateMachine, EventObject } from 'xstate';
import { nodesOf, transitionsOf } from '../library/forms/machine-nodes.ts';
import type { Graph } from '../library/types.ts';
import { isObject } from '../vocabulary/json.ts';
import type { TaskRunEnd } from '../vocabulary/states.ts';
import type { Configuration, stepsOf } from './configurations.ts';
import { exampleOutputs } from './launch-samples.ts';
import { likelyOutputs } from './likely-outputs.ts';
import { timeText, valueText } from './readable.ts';

/** An event for XState's functions on graphs of states: its type is the step in words. */
export interface Move extends EventObject {
  next: Configuration;
}

/** A way on that was not taken yet. */
export interface Way {
  words: string;
  /** The end of a task that succeeds. */
  isGood: boolean;
  /** @returns undefined: only an example of the output of the task would say what comes next */
  take(): Configuration | undefined;
}

/** Possible outputs of a label: those that examples name, then likely ones. */
interface Outputs {
  all: unknown[];
  named: number;
}

/** Without guards, all outputs lead to the same states. */
function outputsFor(graph: Graph, hasGuards: boolean): Map<string, Outputs> {
  const examples = graph.kind === 'list' ? new Map<string, unknown[]>() : exampleOutputs(graph);
  const entries = [...graph.labels.values()].map((label): [string, Outputs] => {
    const named = examples.get(label.label) ?? [];
    if (!hasGuards) return [label.label, { all: [named[0] ?? {}], named: Math.min(1, named.length) }];
    return [label.label, { all: [...named, ...likelyOutputs(graph, label)], named: named.length }];
  });
  return new Map(entries);
}

type FailedEnd = Exclude<TaskRunEnd, 'succeeded'>;

const errors: Record<FailedEnd, { name: string; message: string; code: string }> = {
  failed: { name: 'Error', message: 'the task failed', code: 'TASK_FAILED' },
  timeout: { name: 'Error', message: 'the task timed out', code: 'TASK_TIMEOUT' },
  cancelled: { name: 'Error', message: 'the task was cancelled', code: 'TASK_CANCELLED' },
};

const words: Record<FailedEnd, string> = { failed: 'fails', timeout: 'times out', cancelled: 'is cancelled' };

/** An error, with the words that name it in a path. */
interface Failure {
  words: string;
  error: { name: string; message: string; code: string; state: FailedEnd };
}

const failureOf = (state: FailedEnd, code = errors[state].code): Failure => ({
  words: code === errors[state].code ? words[state] : `${words[state]} (${code})`,
  error: { ...errors[state], code, state },
});

export class Moves {
  /** Labels for whose output the graph has code that fails without an example of it. */
  readonly needOutputs = new Map<string, string>();
  readonly #steps: ReturnType<typeof stepsOf>;
  readonly #outputs: Map<string, Outputs>;
  readonly #failures: readonly Failure[];
  readonly #moves = new WeakMap<Configuration, Move[]>();

  constructor(graph: Graph, steps: ReturnType<typeof stepsOf>) {
    this.#steps = steps;
    const guards = graph.kind === 'list' ? [] : guardsIn(graph.machine);
    this.#outputs = outputsFor(graph, guards.length > 0);
    this.#failures = failuresFor(graph, guards);
  }

  /** Takes every way. */
  from(configuration: Configuration): Move[] {
    const cachedMoves = this.#moves.get(configuration);
    if (cachedMoves !== undefined) return cachedMoves;
    const moves = this.ways(configuration).flatMap(({ words: type, take }): Move[] => {
      const next = take();
      return next === undefined ? [] : [{ type, next }];
    });
    this.#moves.set(configuration, moves);
    return moves;
  }

  /** Returns the good ends first. */
  ways(configuration: Configuration): Way[] {
    if (configuration.ending !== undefined) return [];
    const running = [...configuration.running];
    return [
      ...running.flatMap(([id, label]) => this.#successes(configuration, id, label)),
      ...[...configuration.timers].map(
        ([timer, { delay }]): Way => ({
          words: `${timeText(delay)} pass${ofState(timer)}`,
          isGood: false,
          take: () => this.#steps.afterTimer(configuration, timer),
        }),
      ),
      ...running.flatMap(([id, label]) => this.#waysToFail(configuration, id, label)),
    ];
  }

  #successes(configuration: Configuration, id: string, label: string): Way[] {
    const { all, named } = this.#outputs.get(label) as Outputs;
    return all.map(
      (output, at): Way => ({
        words: all.length < 2 ? `${label} succeeds` : `${label} succeeds with ${valueText(output)}`,
        isGood: true,
        take: () => {
          const event = { type: `xstate.done.actor.${id}`, output, actorId: id };
          const next = this.#steps.afterEnd(configuration, id, event);
          if (next.thrown === undefined || next.isUnsavable || at < named) return next;
          if (named === 0 && !this.needOutputs.has(label)) this.needOutputs.set(label, next.thrown);
          return undefined;
        },
      }),
    );
  }

  #waysToFail(configuration: Configuration, id: string, label: string): Way[] {
    return this.#failures.map(({ words: end, error }) => ({
      words: `${label} ${end}`,
      isGood: false,
      take: () => this.#steps.afterEnd(configuration, id, { type: `xstate.error.actor.${id}`, error, actorId: id }),
    }));
  }
}

/** XState's id of an `after` has its state last. */
const ofState = (timer: string): string => {
  const state = /^xstate\.after\.[^.]*\.(.+)$/.exec(timer)?.[1];
  return state === undefined ? '' : ` in ${state}`;
};

/** Ends that a graph cannot tell apart are tried once: only guards, and waits of a list, tell errors apart. */
function failuresFor({ kind, definition }: Graph, guards: readonly string[]): Failure[] {
  if (kind === 'list') {
    const waits = JSON.stringify(definition.tasks);
    const ends: FailedEnd[] = ['timeout', 'cancelled'];
    return [failureOf('failed'), ...ends.filter((end) => waits.includes(`"${end}"`)).map((end) => failureOf(end))];
  }
  if (guards.length === 0) return [failureOf('failed')];
  const codes = new Set(
    guards
      .flatMap((guard) => [...guard.matchAll(/['"`]([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"`]/g)])
      .map(([, code = '']) => code),
  );
  for (const { code } of Object.values(errors)) codes.delete(code);
  return [failureOf('failed'), failureOf('timeout'), ...[...codes].map((code) => failureOf('failed', code))];
}

/** Returns the texts of the machine's guards: codes of errors that they compare with are in them. */
export function guardsIn(machine: AnyStateMachine): string[] {
  const guards = nodesOf(machine).flatMap((node) => transitionsOf(node).flatMap(({ guard }) => guard ?? []));
  const named = machine.implementations.guards as Record<string, unknown>;
  return guards.map((guard) => {
    const name = isObject(guard) && typeof guard.type === 'string' ? guard.type : guard;
    return String(typeof name === 'string' ? (named[name] ?? name) : name);
  });
}
