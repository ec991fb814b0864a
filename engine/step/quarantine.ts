/**
 * Quarantined workflows: active, with the code QUARANTINED in their `error`; no step is taken until a release.
 *
 * 1. None of these steps runs the machine, except the release of a workflow that never began.
 * 2. A release requests all open operations again: queue jobs may have been dropped because of the quarantine.
 */
import type { Seed } from '../actors/messages.ts';
import type { FlatError } from '../define/errors.ts';
import { isActive } from '../define/states.ts';
import type { Graph } from '../library/types.ts';
import { type Draft, draftOf, type Env, taskRunKeys, taskRunNumber, withTodo } from './draft.ts';
import { noGraph } from './gone.ts';
import { describeTaskRuns, note, setEntry } from './report.ts';
import type { StepResult, WorkflowRow } from './row.ts';
import { emptyRow, setWake, started } from './workflow.ts';

const QUARANTINED = 'QUARANTINED';

/** The error of a quarantined workflow. */
export const quarantined = (why: string): FlatError => ({
  name: 'NodewrightError',
  code: QUARANTINED,
  message: `${why}. The workflow does not run until it is released (command "release") or cancelled`,
});

export const isQuarantined = ({ error, status }: Pick<WorkflowRow, 'error' | 'status'>): boolean =>
  error?.code === QUARANTINED && isActive(status);

export function quarantine(row: WorkflowRow, error: FlatError, env: Env): StepResult<WorkflowRow> {
  if (!isActive(row.status) || isQuarantined(row)) return { changed: false, row, replies: [] };
  return { changed: true, row: held(draftOf(row, noGraph, env, 'quarantine'), error), replies: [] };
}

/** The row of a workflow that is quarantined because of its first step. */
export const quarantinedRow = (seed: Seed, graph: Graph, error: FlatError, env: Env): WorkflowRow =>
  held(draftOf(emptyRow(seed, graph, env), graph, env, 'quarantine'), error);

function held(draft: Draft, error: FlatError): WorkflowRow {
  const { row } = draft;
  row.error = error;
  for (const { label, state } of row.tasks) {
    if (state === 'running' || state === 'waiting') setEntry(draft, label, { state: 'waiting', waitingOn: 'held' });
  }
  // The timers stay in the row but do not fire.
  row.wakeAt = null;
  note(draft, 'workflow.quarantined', row.status, row.status);
  return withTodo(draft, row);
}

export function unquarantine(row: WorkflowRow, graph: Graph, env: Env): StepResult<WorkflowRow> {
  if (!isQuarantined(row)) return { changed: false, row, replies: [] };
  const draft = draftOf(row, graph, env, 'release');
  note(draft, 'workflow.released', row.status, row.status);
  return { changed: true, row: 'workflow' in row.actors ? goingOn(draft) : started(draft), replies: [] };
}

function goingOn(draft: Draft): WorkflowRow {
  const { row, effects } = draft;
  for (const { id, kind, lane } of Object.values(row.operations)) {
    if (lane !== undefined) effects.push({ kind: 'work', lane });
    if (kind === 'command') effects.push({ kind: 'offer', operation: id });
  }
  for (const key of taskRunKeys(draft)) draft.touched.add(taskRunNumber(key));
  describeTaskRuns(draft);
  setWake(draft);
  return withTodo(draft, row);
}
