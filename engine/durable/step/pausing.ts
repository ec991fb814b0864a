/**
 * Pause, resume and early retries. While a workflow is paused, no task run begins, and no further attempt of one; those
 * under way end, and the graph continues until it needs another. A task run that is paused has no timeout.
 */

import { property } from '../../vocabulary/json.ts';
import type { TaskRunInput } from '../actors/task-run.ts';
import { actorOf, type StepBuilder, send, taskRunKey, taskRunKeys } from './builder.ts';
import { isCircuitOpen, note } from './report.ts';
import type { ActorSnapshot, WorkflowRow } from './row.ts';

const PAUSED = 'paused';

export const isPaused = ({ paused }: Pick<WorkflowRow, 'paused'>): boolean => paused !== undefined && paused !== null;

/** @returns false if it is paused already, or ends */
export function beginPause(builder: StepBuilder, by: string | undefined): boolean {
  const { row } = builder;
  if (isPaused(row) || row.actors.workflow?.snapshot.value !== 'running') return false;
  row.paused = { by: by ?? null, at: row.updatedAt };
  note(builder, 'workflow.paused', row.status, row.status);
  return true;
}

/** @returns false if it is not paused */
export function endPause(builder: StepBuilder): boolean {
  const { row } = builder;
  if (!isPaused(row)) return false;
  row.paused = null;
  note(builder, 'workflow.resumed', row.status, row.status);
  for (const key of taskRunKeys(builder))
    if (isPausedRun(actorOf(builder, key))) send(builder, key, { type: 'resume' });
  return true;
}

/** Begins the attempts that wait before their time. @returns whether there are any */
export function retryNow(builder: StepBuilder, waits: (actor: ActorSnapshot) => boolean): boolean {
  const waiting = taskRunKeys(builder).filter((key) => waits(actorOf(builder, key)));
  for (const key of waiting) send(builder, key, { type: 'retry-now' });
  return waiting.length > 0;
}

/** Adds a task run that begins when the workflow is resumed. */
export function addPaused(
  builder: StepBuilder,
  taskRun: number,
  actor: Omit<ActorSnapshot, 'snapshot'>,
  input: TaskRunInput,
): void {
  const snapshot = { value: PAUSED, context: { attempt: 1, result: null, ...input } };
  builder.actors.set(taskRunKey(taskRun), { ...actor, snapshot });
}

const isPausedRun = ({ snapshot }: ActorSnapshot): boolean => snapshot.value === PAUSED;

/** For its time, or for a BMC. */
export const waitsForAttempt = (actor: ActorSnapshot): boolean =>
  isCircuitOpen(actor) || property(actor.snapshot.value, 'working') === 'backoff';
