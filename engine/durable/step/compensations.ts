/**
 * The runs of a workflow that are undone if it fails or is cancelled, and the task runs that undo them. The order is the
 * one in which `durable/actors/compensation.ts` works through them.
 *
 * 1. A run is recorded by the step that ends it, so a crash cannot separate the two.
 * 2. A run that was cancelled too late, because its activity succeeded or its child workflow did, is undone as well.
 * 3. The record is limited: a label whose run could not be recorded does not begin.
 */

import type { Label } from '../../library/types.ts';
import type { ErrorCode, FlatError } from '../../vocabulary/errors.ts';
import type { CompensationContext, CompletedRun } from '../actors/compensation.ts';
import type { TaskRunResult } from '../actors/task-run.ts';
import { type StepBuilder, taskRunKey, taskRunKeys } from './builder.ts';
import type { ActorSnapshot, Operation, WorkflowRow } from './row.ts';

/** Each holds the output of its run. */
export const COMPENSATIONS_LIMIT = 100;

/** The actor whose task runs are running: the compensation begins when the graph has none. */
export const parentOf = ({ row }: Pick<StepBuilder, 'row'>): string =>
  'compensation' in row.actors ? 'compensation' : 'graph';

export const runsToUndo = ({ toCompensate = [] }: Pick<WorkflowRow, 'toCompensate'>): readonly CompletedRun[] =>
  toCompensate;

/** Returns the runs that are not undone yet. */
export function runsLeft(row: Pick<WorkflowRow, 'toCompensate' | 'actors'>): readonly CompletedRun[] {
  const context = row.actors.compensation?.snapshot.context as CompensationContext | undefined;
  return context?.left ?? runsToUndo(row);
}

/** Records a run that ended, if it must be undone later. */
export function noteRun(
  { row, graph }: StepBuilder,
  actor: Omit<ActorSnapshot, 'snapshot'>,
  { end, output }: TaskRunResult,
): void {
  const { label = '', options = {} } = actor;
  const compensation = graph.labels.get(label)?.compensation;
  const isDone = end === 'succeeded' || actor.late !== undefined;
  if (compensation === undefined || !(isDone || compensation.partial)) return;
  const made = output ?? actor.late?.output ?? null;
  // Static options need nothing of the run.
  const run = compensation.input === undefined ? { options: {}, output: null } : { options, output: made };
  row.toCompensate = [...runsToUndo(row), { label: compensation.label, ...run }];
}

/** Records that an operation succeeded although it was being aborted. */
export function noteLate({ row, graph, actors }: StepBuilder, { taskRun, kind }: Operation, output: unknown): void {
  const key = taskRunKey(taskRun);
  const actor = row.actors[key];
  const isUndone = graph.labels.get(actor?.label ?? '')?.compensation !== undefined;
  if (actor === undefined || !isUndone || (kind !== 'activity' && kind !== 'graph')) return;
  actors.set(key, { ...actor, late: { output } });
}

/** Returns the error of a label that may not begin; undefined: it may. */
export function overLimit(builder: StepBuilder, { label, compensation }: Label): FlatError | undefined {
  if (compensation === undefined) return undefined;
  const open = taskRunKeys(builder).map((key) => builder.graph.labels.get(builder.row.actors[key]?.label ?? ''));
  const count = runsToUndo(builder.row).length + open.filter((other) => other?.compensation !== undefined).length;
  if (count < COMPENSATIONS_LIMIT) return undefined;
  const code: ErrorCode = 'COMPENSATION_LIMIT';
  const message = `${label} would be the run ${count + 1} to compensate; a workflow may have ${COMPENSATIONS_LIMIT}`;
  return { name: 'NodewrightError', code, message };
}

/** Returns the computed options of the task run that undoes a run. @throws if the graph's own function does */
export function inputFor({ graph }: Pick<StepBuilder, 'graph'>, { label, options, output }: CompletedRun): unknown {
  const undone = graph.labels.get(label)?.compensates ?? '';
  return graph.labels.get(undone)?.compensation?.input?.({ options, output });
}
