/** The policies of a label in a graph: how often its task is attempted, how long it may take, and how it is undone. */
import type { Retry } from './retry.ts';
import type { TaskDefinition } from './task.ts';

/** A run of a task, as the compensation that undoes it sees it. */
export interface CompletedTask {
  /** The options with which the task ran. Secrets in them are encrypted. */
  options: Record<string, unknown>;
  /** null: the run did not succeed (`partial`). */
  output: unknown;
}

/** Must be pure: it may be called again for the same run. */
export type CompensationInput = (completed: CompletedTask) => Record<string, unknown>;

export interface CompensationDefinition {
  task: TaskDefinition;
  /** Its options, or a function of the run to undo. */
  input?: Record<string, unknown> | CompensationInput;
  retry?: Retry;
  /** Over all attempts. Default 900,000: the node stays busy until the compensation has ended. */
  timeoutMs?: number;
  /** true: also undoes a run that began and failed, timed out or was cancelled. */
  partial?: boolean;
}

/** A task under a label, with its policies. */
export interface LabelDefinition<T extends TaskDefinition = TaskDefinition> {
  task: T;
  /** Replaces the retry policy of the task. A `once` task without its own repeats only after a `NothingDoneError`. */
  retry?: Retry;
  /** Over all attempts; then the task run ends as `timeout`. The default for `_taskTimeout` of requests. */
  timeoutMs?: number;
  /**
   * Undoes the run if the workflow fails or is cancelled later. It has a label of its own, `compensate-<label>`. All
   * compensations of a workflow run one after the other, the latest run first.
   */
  compensate?: CompensationDefinition;
}

export type Tasks = Record<string, TaskDefinition | LabelDefinition>;

/** The task of an entry of `tasks`. */
export type TaskIn<Entry> = Entry extends TaskDefinition
  ? Entry
  : Entry extends { task: infer T extends TaskDefinition }
    ? T
    : never;

/** The label under which the compensation of a label runs. */
export const compensationLabel = <const Label extends string>(label: Label): `compensate-${Label}` =>
  `compensate-${label}`;

/** The timeout of a compensation that names none, in ms. */
export const COMPENSATION_TIMEOUT_MS = 900_000;
