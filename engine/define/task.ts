/**
 * A task: what it is called, which options it takes, what becomes of it when a process dies, and a machine that
 * invokes work. Most tasks are one act: `defineTask({ ..., run })`. One with waits or stages brings its own machine.
 */

import type { Static, TObject } from 'typebox';
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { Fault } from './errors.ts';
import type { ChildOptions, Need, Provision } from './need.ts';
import type { Recovery } from './states.ts';
import { type ActScope, act } from './work.ts';

/** How a failed attempt is tried again. Absent: it is not. */
export interface Retry {
  /** Attempts in all, the first one included. */
  attempts: number;
  /** Wait before the second attempt, in ms; doubles with each further one. */
  backoffMs: number;
  /** The longest wait between two attempts, in ms. Default 60,000. */
  maxBackoffMs?: number;
}

/** What an attempt of a task's machine starts with. */
export interface TaskInput<Options> {
  options: Options;
  nodeId: string | null;
  workflowId: string;
}

/** What is known when a workflow is asked for. */
export interface LaunchScope<Options> {
  /** As far as they are known: neither checked, nor with what the graph computes later. */
  options: Partial<Options>;
  nodeId: string | null;
  /** What the node's latest catalog of a source holds. */
  catalog(source: string): Promise<unknown>;
}

interface Meta<S extends TObject> {
  injectableName: `Task.${string}`;
  friendlyName: string;
  /** `idempotent`: run again after a crash. `once`: never run again by itself; the call fails as interrupted. */
  recovery: Recovery;
  optionsSchema: S;
  /** Weakest values of the options. */
  options?: Partial<Static<S>>;
  properties?: Record<string, unknown>;
  retry?: Retry;
  /** A launch on a node without it is refused, when the graph cannot succeed otherwise. */
  needs?: readonly Need[];
  /** A task that gives its node an obm says so here; a launch does not expect it before then. */
  provides?: readonly Provision[];
  /** Of a task that runs a graph. */
  runs?: ChildOptions;
  /**
   * Looks, when a workflow is asked for, at what the schema cannot know. It changes nothing. Not asked when the options
   * hold templates. @returns what is wrong; the launch is refused then
   */
  checkLaunch?: (scope: LaunchScope<Static<S>>) => Promise<Fault[]>;
}

/**
 * What a probe found out about work that was under way when its process died. `resumable`: it may run again, because it
 * goes on from what it has sent (`ActScope.sent`).
 */
export type Found<Output> =
  | { state: 'done'; output: Output }
  | { state: 'never-started' }
  | { state: 'resumable' }
  | { state: 'unknown' };

interface RunMeta<S extends TObject, Output> extends Meta<S> {
  run: (scope: ActScope<Static<S>>) => Promise<Output>;
  /** For `once` tasks: finds out what became of interrupted work, without doing any of it again. */
  probe?: (scope: ActScope<Static<S>>) => Promise<Found<Output>>;
}

interface MachineMeta<S extends TObject> extends Meta<S> {
  machine: AnyStateMachine;
  /** The same for a machine's acts; `input` is that of the act that was interrupted. */
  probe?: (scope: ActScope<never>) => Promise<Found<unknown>>;
}

/** A task as the engine knows it. `Options` and `Output` live in types only; graphs are checked against them. */
export interface TaskDefinition<Options = unknown, Output = unknown> {
  readonly kind: 'task';
  readonly injectableName: string;
  readonly friendlyName: string;
  readonly recovery: Recovery;
  readonly optionsSchema: TObject;
  readonly options: Record<string, unknown>;
  readonly properties: Record<string, unknown>;
  readonly retry: Retry | undefined;
  readonly needs: readonly Need[];
  readonly provides: readonly Provision[];
  readonly runs: ChildOptions | undefined;
  readonly machine: AnyStateMachine;
  readonly probe: ((scope: ActScope<unknown>) => Promise<Found<unknown>>) | undefined;
  readonly checkLaunch: ((scope: LaunchScope<unknown>) => Promise<Fault[]>) | undefined;
  readonly types?: { options: Options; output: Output };
}

interface OneActContext extends TaskInput<unknown> {
  output?: unknown;
}

/** One state that runs one act and ends with its output: the machine of most tasks. */
function oneAct(name: string, run: (scope: ActScope<unknown>) => Promise<unknown>): AnyStateMachine {
  return setup({
    types: {} as { context: OneActContext; input: TaskInput<unknown>; output: unknown },
    actors: { run: act(run) },
  }).createMachine({
    id: name,
    context: ({ input }) => input,
    initial: 'running',
    states: {
      running: {
        invoke: {
          src: 'run',
          input: ({ context }: { context: OneActContext }) => context.options,
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }: { context: OneActContext }) => context.output,
  });
}

export function defineTask<S extends TObject, Output>(meta: RunMeta<S, Output>): TaskDefinition<Static<S>, Output>;
export function defineTask<S extends TObject, Output = unknown>(
  meta: MachineMeta<S>,
): TaskDefinition<Static<S>, Output>;
export function defineTask<S extends TObject, Output>(
  meta: RunMeta<S, Output> | MachineMeta<S>,
): TaskDefinition<Static<S>, Output> {
  const machine =
    'machine' in meta
      ? meta.machine
      : oneAct(meta.injectableName, meta.run as (scope: ActScope<unknown>) => Promise<unknown>);
  const probe = 'probe' in meta ? meta.probe : undefined;
  return {
    kind: 'task',
    injectableName: meta.injectableName,
    friendlyName: meta.friendlyName,
    recovery: meta.recovery,
    optionsSchema: meta.optionsSchema,
    options: { ...meta.options },
    properties: { ...meta.properties },
    retry: meta.retry,
    needs: meta.needs ?? [],
    provides: meta.provides ?? [],
    runs: meta.runs,
    machine,
    probe: probe as TaskDefinition['probe'],
    checkLaunch: meta.checkLaunch as TaskDefinition['checkLaunch'],
  };
}

/** A secret option: shown as REDACTED in records, events and logs. */
export const secret = <T extends object>(schema: T): T & { secret: true } => ({ ...schema, secret: true });
