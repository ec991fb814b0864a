/**
 * A task: its name, its options, its recovery after a crash, and a machine that invokes operations. Most tasks are one
 * activity: `defineTask({ ..., run })`. A task with waits or stages has its own machine.
 */

import type { Static, TObject } from 'typebox';
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { Violation } from '../vocabulary/errors.ts';
import type { PowerEffect, Recovery } from '../vocabulary/states.ts';
import type { ChildOptions, Need, Provision } from './need.ts';
import { type ActivityScope, activity } from './operation.ts';
import type { Retry } from './retry.ts';

/** The input of a task's machine for one attempt. */
export interface TaskInput<Options> {
  options: Options;
  nodeId: string | null;
  workflowId: string;
}

/** The facts known at a launch. */
export interface LaunchScope<Options> {
  /** The options known so far: not validated, and without values that the graph computes later. */
  options: Partial<Options>;
  nodeId: string | null;
  /** Returns the data of the node's latest catalog of a source. */
  catalog(source: string): Promise<unknown>;
}

/** A drive of the node's driveId catalog, or one that only the options name. */
export interface ChosenDrive {
  /** Below /dev. */
  devName: string;
  /** '': unknown. */
  wwid: string;
  /** Identifies it instead of `devName`. */
  serial?: string;
}

interface Meta<S extends TObject> {
  injectableName: `Task.${string}`;
  friendlyName: string;
  /** `idempotent`: run again after a crash. `once`: never repeated automatically; the task run fails as interrupted. */
  recovery: Recovery;
  optionsSchema: S;
  /** Default option values (lowest precedence). */
  options?: Partial<Static<S>>;
  properties?: Record<string, unknown>;
  /** Absent: no retries, unless a graph gives the label a policy. */
  retry?: Retry;
  /** A launch on a node without these is rejected, if the graph cannot succeed without them. */
  needs?: readonly Need[];
  /** The obms that the task gives its node; later tasks can rely on them. */
  provides?: readonly Provision[];
  /**
   * A run of a `once` task in which one of these options has one of these values changes nothing, so a retry policy of a
   * graph repeats it, and a retry of its workflow does so without asking.
   */
  readOnly?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** It destroys data of the machine, such as the content of its drives; plans say so. Default: false. */
  destructive?: boolean;
  /**
   * Returns the drives whose content a destructive task destroys, found as its run finds them, so that plans name them. Must be
   * read-only. @returns none if the run destroys nothing; undefined if only the run can know them, as does a task without this function
   */
  drives?: (scope: LaunchScope<Static<S>>) => Promise<readonly ChosenDrive[] | undefined>;
  /** It changes the power of the node; plans say so. */
  power?: PowerEffect;
  /** For a task that runs a graph. */
  runs?: ChildOptions;
  /** For a task that releases a group: the option with its name. */
  releases?: string;
  /**
   * Checks at launch what the schema cannot check. Must be read-only. Skipped if the options hold templates.
   * @returns violations; any of them rejects the launch
   */
  checkLaunch?: (scope: LaunchScope<Static<S>>) => Promise<Violation[]>;
}

/**
 * The result of a probe of an operation that was in progress when its process died. `resumable`: it may run again,
 * because it continues from the commands that it has sent (`ActivityScope.sent`).
 */
export type ProbeResult<Output> =
  | { state: 'done'; output: Output }
  | { state: 'never-started' }
  | { state: 'resumable' }
  | { state: 'unknown' };

interface RunMeta<S extends TObject, Output> extends Meta<S> {
  run: (scope: ActivityScope<Static<S>>) => Promise<Output>;
  /** For `once` tasks: determines the outcome of an interrupted operation without repeating any of it. */
  probe?: (scope: ActivityScope<Static<S>>) => Promise<ProbeResult<Output>>;
}

interface MachineMeta<S extends TObject> extends Meta<S> {
  machine: AnyStateMachine;
  /** The same for a machine's activities; `input` is that of the interrupted activity. */
  probe?: (scope: ActivityScope<never>) => Promise<ProbeResult<unknown>>;
}

/** A compiled task. `Options` and `Output` exist only in types; graphs are checked against them. */
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
  readonly readOnly: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  readonly destructive: boolean;
  readonly drives: ((scope: LaunchScope<unknown>) => Promise<readonly ChosenDrive[] | undefined>) | undefined;
  readonly power: PowerEffect | undefined;
  readonly runs: ChildOptions | undefined;
  readonly releases: string | undefined;
  readonly machine: AnyStateMachine;
  readonly probe: ((scope: ActivityScope<unknown>) => Promise<ProbeResult<unknown>>) | undefined;
  readonly checkLaunch: ((scope: LaunchScope<unknown>) => Promise<Violation[]>) | undefined;
  readonly types?: { options: Options; output: Output };
}

interface OneActivityContext extends TaskInput<unknown> {
  output?: unknown;
}

/** The machine of most tasks: one state that runs one activity and ends with its output. */
function oneActivity(name: string, run: (scope: ActivityScope<unknown>) => Promise<unknown>): AnyStateMachine {
  return setup({
    types: {} as { context: OneActivityContext; input: TaskInput<unknown>; output: unknown },
    actors: { run: activity(run) },
  }).createMachine({
    id: name,
    context: ({ input }) => input,
    initial: 'running',
    states: {
      running: {
        invoke: {
          src: 'run',
          input: ({ context }: { context: OneActivityContext }) => context.options,
          onDone: { target: 'done', actions: assign({ output: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }: { context: OneActivityContext }) => context.output,
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
      : oneActivity(meta.injectableName, meta.run as (scope: ActivityScope<unknown>) => Promise<unknown>);
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
    readOnly: meta.readOnly ?? {},
    destructive: meta.destructive === true,
    drives: meta.drives as TaskDefinition['drives'],
    power: meta.power,
    runs: meta.runs,
    releases: meta.releases,
    machine,
    probe: probe as TaskDefinition['probe'],
    checkLaunch: meta.checkLaunch as TaskDefinition['checkLaunch'],
  };
}

/** Marks an option as secret: REDACTED in records, events and logs. */
export const secret = <T extends object>(schema: T): T & { secret: true } => ({ ...schema, secret: true });
