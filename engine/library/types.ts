/**
 * The tables of the library: tasks and graphs in the form that the engine runs, whatever their source (a file, a pack,
 * the API). Their `hash` identifies a version: a workflow is pinned to one.
 */
import type { AnyStateMachine } from 'xstate';
import type { ChildOptions, Need, Provision } from '../define/need.ts';
import type { CompensationInput } from '../define/policies.ts';
import type { Retry } from '../define/retry.ts';
import type { TaskDefinition } from '../define/task.ts';
import type { Violation } from '../vocabulary/errors.ts';
import type { JsonObject } from '../vocabulary/json.ts';
import type { Recovery } from '../vocabulary/states.ts';

/** A job of RackHD that no task here does. */
export interface MissingJob {
  /** The base task, or its action. */
  name: string;
  /** The reason, with another way if there is one. */
  why: string;
}

/** The source of a definition: a file can be changed only on disk, a pack's with the pack, others through the API. */
export type Source =
  | { kind: 'file'; file: string }
  | { kind: 'pack'; sku: string; put?: Authorship | undefined }
  | { kind: 'api'; put?: Authorship | undefined };

/** The user who put a definition, and the time. */
export interface Authorship {
  by: string;
  /** ISO 8601 */
  at: string;
}

export interface Task {
  name: string;
  friendlyName: string;
  recovery: Recovery;
  machine: AnyStateMachine;
  /** JSON Schema of the options. */
  schema: object;
  /** Default option values (lowest precedence). */
  defaults: JsonObject;
  properties: JsonObject;
  retry: Retry | undefined;
  probe: TaskDefinition['probe'];
  checkLaunch: TaskDefinition['checkLaunch'];
  needs: readonly Need[];
  provides: readonly Provision[];
  readOnly: TaskDefinition['readOnly'];
  destructive: boolean;
  drives: TaskDefinition['drives'];
  power: TaskDefinition['power'];
  /** The options that name its child graph; `unknown`: it runs one but does not say which. */
  runs: ChildOptions | 'unknown' | undefined;
  /** The option with the name of the group that it releases. */
  releases: string | undefined;
  /** It may need the agent on the node. */
  takesCommands: boolean;
  /** It may wait for a notification. */
  takesNotifications: boolean;
  /** The job of RackHD that no task here does; a run of it fails. */
  missing?: MissingJob;
  hash: string;
  /** For the API: as it was put, plus `recovery`. */
  definition: JsonObject;
  source: Source;
}

/** A task of a graph, under its label. */
export interface Label {
  label: string;
  task: Task;
  /** `optionOverrides` of the list form, or the static `input` of an invoke. */
  overrides: JsonObject;
  /** The invoke's input is a function: its value is known only at run time. */
  dynamic: boolean;
  /** Replaces the retry policy of the task. */
  retry?: Retry;
  /** Undoes a run of the task. */
  compensation?: Compensation;
  /** Compensations only: the label that it undoes. No state of the graph invokes it. */
  compensates?: string;
}

export interface Compensation {
  label: string;
  /** Also undoes a run that began and did not succeed. */
  partial: boolean;
  /** Computes its options; absent: they are known statically. */
  input?: CompensationInput;
}

export interface Graph {
  name: string;
  friendlyName: string;
  hash: string;
  /** `list`: compiled from list-of-tasks JSON, so its context is the ledger of `list-step.ts`. */
  kind: 'machine' | 'list';
  machine: AnyStateMachine;
  labels: ReadonlyMap<string, Label>;
  /** The graph's own options: `defaults` for every task, and one entry per label. */
  options: { readonly [label: string]: JsonObject | undefined };
  /** For the API. */
  definition: JsonObject;
  /** Parts of the definition without an effect. */
  ignored?: readonly Violation[];
  source: Source;
  /** Returns the label of a spawned child of `machine`, by the action's `src` and `id`. */
  labelOf(src: string, id: string): string;
}

/** A definition that was rejected; reported until it is corrected or deleted. */
export interface DefinitionError {
  /** The file, with its line if known, or the name of a definition put through the API. */
  file: string;
  found: string;
  expected: string;
  message: string;
  /** ISO 8601. */
  at: string;
  /** The name of the definition whose last good version is served; null: none is. */
  served: string | null;
}

/** The structured log. */
export interface LibraryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Finds a task of the library by name. */
export interface TaskLookup {
  (name: string): Task | undefined;
  /** The names that it finds, for suggestions. */
  names?: () => Iterable<string>;
}

/** Labels with a meaning of their own: `defaults` in options, `anyOf` in `waitOn`, and names of prototypes. */
export const reservedLabels: readonly string[] = ['anyOf', 'defaults', '__proto__', 'constructor', 'prototype'];
