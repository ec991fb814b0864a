/**
 * A graph is an XState machine whose `invoke`s name tasks by label. `defineGraph` is XState's `setup` with the labels
 * filled in: the compiler refuses a label that is not there, options that the task does not take, and events that
 * cannot come. A graph's own actions may only assign, raise and log; whatever touches the world is a task.
 */
import {
  type EventObject,
  fromPromise,
  type MachineContext,
  type MetaObject,
  type PromiseActorLogic,
  type SetupReturn,
  setup,
} from 'xstate';
import type { TaskDefinition } from './task.ts';

export type Tasks = Record<string, TaskDefinition>;

type OptionsOf<T> = T extends TaskDefinition<infer Options, infer _Output> ? Partial<Options> & TaskTimeout : never;
type OutputOf<T> = T extends TaskDefinition<infer _Options, infer Output> ? Output : never;

/** `_taskTimeout` in ms: 24 h if absent, none with 0 or -1. */
export interface TaskTimeout {
  _taskTimeout?: number;
}

/** The options of a graph, or of a request: for every task, and for one label. */
export type GraphOptions<T extends Tasks> = { defaults?: Record<string, unknown> } & {
  [Label in keyof T]?: OptionsOf<T[Label]>;
};

/** What a graph's machine starts with. */
export interface GraphInput {
  workflowId: string;
  nodeId: string | null;
  /** The request's options, as they came. */
  options: Record<string, unknown>;
}

/** One way to run the graph, for tests and simulations: what a user asks for, and how its tasks may answer. */
export interface GraphExample<T extends Tasks> {
  options?: GraphOptions<T>;
  /** By label: outputs on which the graph decides where to go. */
  outputs?: { [Label in keyof T]?: readonly OutputOf<T[Label]>[] };
}

export interface GraphMeta<T extends Tasks> {
  injectableName: `Graph.${string}`;
  friendlyName: string;
  tasks: T;
  options?: GraphOptions<T>;
  /** With them every state of the graph can be reached. Options that a schema requires are made from the schema. */
  examples?: readonly GraphExample<T>[];
}

/** A label as XState sees it: logic that takes some of the task's options and gives the task's output. */
type Labels<T extends Tasks> = {
  [Label in keyof T & string]: PromiseActorLogic<OutputOf<T[Label]>, OptionsOf<T[Label]> | undefined>;
};

const META = Symbol.for('nodewright.graph');

/** What `defineGraph` leaves on a machine; undefined for a machine made without it. */
export const graphMeta = (machine: object): GraphMeta<Tasks> | undefined =>
  (machine as { [META]?: GraphMeta<Tasks> })[META];

/** Never runs: the engine starts the label's task instead. */
const placeholder = fromPromise(() => new Promise(() => {}));

/** No event reaches a graph from outside: only its tasks' ends, its timers and what it raises itself. */
interface Never {
  type: 'nodewright.never';
}

// Why an interface with type arguments of its own: what `setup` infers inside a generic function forgets the labels.
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

/** What of XState's setup a graph may use: nothing here sends, emits or spawns past the labels. */
type Kit<T extends Tasks, Context extends MachineContext> = Pick<
  Setup<T, Context>,
  'createMachine' | 'createStateConfig' | 'createAction' | 'assign' | 'raise' | 'log' | 'cancel' | 'enqueueActions'
>;

/**
 * @param meta the graph's name, its tasks by label, and the weakest values of their options
 * @param _types `{} as { context: C }`, for a graph whose context has a type of its own
 * @returns XState's setup, typed with the labels: give its `createMachine` the states, and export what it returns
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

/** Tag a final state with this, and reaching it fails the workflow. */
export const FAILED = 'failed';
