/**
 * A graph is an XState machine whose `invoke`s name tasks by label. `defineGraph` is XState's `setup` with the labels
 * filled in: the compiler rejects unknown labels, options that the task does not take, and impossible events. A graph's
 * own actions may only assign, raise and log; code with side effects belongs in a task.
 */
import {
  type EventObject,
  type MachineContext,
  type MetaObject,
  type PromiseActorLogic,
  type SetupReturn,
  setup,
} from 'xstate';
import { placeholder } from './placeholder.ts';
import type { TaskIn, Tasks } from './policies.ts';
import type { TaskDefinition } from './task.ts';

export type { Tasks } from './policies.ts';

type OptionsOf<T> = T extends TaskDefinition<infer Options, infer _Output> ? Partial<Options> & TaskTimeout : never;
type OutputOf<T> = T extends TaskDefinition<infer _Options, infer Output> ? Output : never;

/** `_taskTimeout` in ms: 24 h if absent; 0 or -1 disables it. */
interface TaskTimeout {
  _taskTimeout?: number;
}

/** Options of a graph or a request: `defaults` for every task, and options per label. */
type GraphOptions<T extends Tasks> = { defaults?: Record<string, unknown> } & {
  [Label in keyof T]?: OptionsOf<TaskIn<T[Label]>>;
};

/** The input of a graph's machine. */
export interface GraphInput {
  workflowId: string;
  nodeId: string | null;
  /** The options of the request, unchanged. */
  options: Record<string, unknown>;
}

/** One way to run the graph, for tests and simulations: the request's options, and possible outputs of its tasks. */
export interface GraphExample<T extends Tasks> {
  options?: GraphOptions<T>;
  /** By label: outputs that decide the graph's next state. */
  outputs?: { [Label in keyof T]?: readonly OutputOf<TaskIn<T[Label]>>[] };
}

export interface GraphMeta<T extends Tasks> {
  injectableName: `Graph.${string}`;
  friendlyName: string;
  /** By label: a task, or a task with its policies. */
  tasks: T;
  options?: GraphOptions<T>;
  /** Together they reach every state of the graph. Options that a schema requires are generated from the schema. */
  examples?: readonly GraphExample<T>[];
}

/** A label as XState sees it: logic that accepts some of the task's options and returns the task's output. */
type Labels<T extends Tasks> = {
  [Label in keyof T & string]: PromiseActorLogic<OutputOf<TaskIn<T[Label]>>, OptionsOf<TaskIn<T[Label]>> | undefined>;
};

const META = Symbol.for('nodewright.graph');

/** The meta data that `defineGraph` attached to a machine; undefined for any other machine. */
export const graphMeta = (machine: object): GraphMeta<Tasks> | undefined =>
  (machine as { [META]?: GraphMeta<Tasks> })[META];

/** A graph receives no external events: only the ends of its tasks, its timers, and events that it raises. */
interface Never {
  type: 'nodewright.never';
}

// An explicit interface, because the type that `setup` infers inside a generic function loses the labels.
type Setup<T extends Tasks, Context extends MachineContext> = SetupReturn<
  Context,
  Never,
  Labels<T>,
  Nothing,
  Nothing,
  Nothing,
  never,
  string,
  GraphInput,
  NonNullable<unknown> | null | undefined,
  EventObject,
  MetaObject
>;
type Nothing = Record<never, never>;

/** The part of XState's setup that a graph may use: nothing that sends, emits or spawns past the labels. */
type Kit<T extends Tasks, Context extends MachineContext> = Pick<
  Setup<T, Context>,
  'createMachine' | 'createStateConfig' | 'createAction' | 'assign' | 'raise' | 'log' | 'cancel' | 'enqueueActions'
>;

/**
 * @param meta the graph's name, its tasks by label, and default option values (lowest precedence)
 * @param _types `{} as { context: C }`, for a graph with a context type of its own
 * @returns XState's setup, typed with the labels: pass the states to its `createMachine` and export the result
 */
export function defineGraph<const T extends Tasks, Context extends MachineContext = MachineContext>(
  meta: GraphMeta<T>,
  _types?: { context: Context },
): Kit<T, Context> {
  const actors = Object.fromEntries(Object.keys(meta.tasks).map((label) => [label, placeholder]));
  const kit = setup({ types: {} as { context: Record<string, unknown>; input: GraphInput; events: Never }, actors });
  const make = kit.createMachine as (config: object) => object;
  const createMachine = (config: object) => Object.assign(make(config), { [META]: meta });
  return { ...kit, createMachine } as unknown as Kit<T, Context>;
}

/** Tag for a final state that fails the workflow. */
export const FAILED = 'failed';
