/**
 * What the library serves: tasks and graphs in the one form that the engine runs, wherever they came from (a file, a
 * pack, the API). Their `hash` names a version: a workflow is pinned to one.
 */
import type { AnyStateMachine } from 'xstate';
import type { ChildOptions, Need, Provision } from '../define/need.ts';
import type { Recovery } from '../define/states.ts';
import type { Retry, TaskDefinition } from '../define/task.ts';

export type Json = Record<string, unknown>;

/** Where a definition came from: a file can only be changed on disk, a pack's with the pack, the rest through the API. */
export type Source = { kind: 'file'; file: string } | { kind: 'pack'; sku: string } | { kind: 'api' };

export interface Task {
  name: string;
  friendlyName: string;
  recovery: Recovery;
  machine: AnyStateMachine;
  /** JSON Schema of the options. */
  schema: object;
  /** The weakest values of the options. */
  defaults: Json;
  properties: Json;
  retry: Retry | undefined;
  probe: TaskDefinition['probe'];
  checkLaunch: TaskDefinition['checkLaunch'];
  needs: readonly Need[];
  provides: readonly Provision[];
  /** The options that say which graph it runs; `unknown`: it runs one, and does not say which. */
  runs: ChildOptions | 'unknown' | undefined;
  /** It may wait for a notification. */
  takesNotifications: boolean;
  hash: string;
  /** What the API shows: as it was put, plus `recovery`. */
  definition: Json;
  source: Source;
}

/** A task's place in a graph. */
export interface Label {
  label: string;
  task: Task;
  /** `optionOverrides` of the list form, or the static `input` of an invoke. */
  overrides: Json;
  /** The invoke's input is a function: known only when the machine gets there. */
  dynamic: boolean;
}

export interface Graph {
  name: string;
  friendlyName: string;
  hash: string;
  /** `list`: compiled from the field's JSON, so its context is the ledger of `list-step.ts`. */
  kind: 'machine' | 'list';
  machine: AnyStateMachine;
  labels: ReadonlyMap<string, Label>;
  /** Of the graph itself: `defaults` for every task, and one entry per label. */
  options: { readonly [label: string]: Json | undefined };
  /** What the API shows. */
  definition: Json;
  source: Source;
  /** The label behind a spawned child of `machine`, by the action's `src` and `id`. */
  labelOf(src: string, id: string): string;
}

/** One definition that was refused, or that went bad; kept until it is mended or gone. */
export interface DefinitionError {
  /** The file, with its line where known, or the name of a definition kept through the API. */
  file: string;
  found: string;
  expected: string;
  message: string;
  /** ISO 8601. */
  at: string;
}

/** Looks up a task of the library by name. */
export type TaskLookup = (name: string) => Task | undefined;

/** A `label` of options that stands for every task, and one of `waitOn` that stands for alternatives. */
export const reservedLabels: readonly string[] = ['anyOf', 'defaults', '__proto__', 'constructor', 'prototype'];
