/**
 * Quarantined workflows: active, with the code QUARANTINED in their `error`; no step is taken until a release.
 *
 * 1. None of these steps runs the machine, except the release of a workflow that never began.
 * 2. A release requests all open operations again: queue jobs may have been dropped because of the quarantine.
 */

import type { Graph } from '../../library/types.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import { isActive } from '../../vocabulary/states.ts';
import type { StartCommand, WorkflowMessage } from '../actors/messages.ts';
import { builderOf, type Env, type StepBuilder, taskRunKeys, taskRunNumber, withPendingEffects } from './builder.ts';
import { describeTaskRuns, note, setEntry } from './report.ts';
import type { StepResult, WorkflowRow } from './row.ts';
import { noGraph } from './suspend.ts';
import { emptyRow, setTimer, startGraph } from './workflow.ts';

const QUARANTINED = 'QUARANTINED';

type Unquarantine = Extract<WorkflowMessage, { type: 'unquarantine' }>;

/** The error of a quarantined workflow. */
export const quarantineError = (why: string): FlatError => ({
  name: 'NodewrightError',
  code: QUARANTINED,
  message: `${why}. The workflow does not run until it is released (command "release") or cancelled`,
});

export const isQuarantined = ({ error, status }: Pick<WorkflowRow, 'error' | 'status'>): boolean =>
  error?.code === QUARANTINED && isActive(status);

export function quarantine(row: WorkflowRow, error: FlatError, env: Env): StepResult<WorkflowRow> {
  if (!isActive(row.status) || isQuarantined(row)) return { changed: false, row, replies: [] };
  return {
    changed: true,
    row: suspendedRow(builderOf(row, noGraph, env, { type: 'quarantine', error }), error),
    replies: [],
  };
}

/** The row of a workflow that is quarantined because of its first step. */
export const quarantinedRow = (start: StartCommand, graph: Graph, error: FlatError, env: Env): WorkflowRow =>
  suspendedRow(builderOf(emptyRow(start, graph, env), graph, env, { type: 'quarantine', error }), error);

function suspendedRow(builder: StepBuilder, error: FlatError): WorkflowRow {
  const { row } = builder;
  row.error = error;
  for (const { label, state } of row.tasks) {
    if (state === 'running' || state === 'waiting') setEntry(builder, label, { state: 'waiting', waitingOn: 'held' });
  }
  // The timers stay in the row but do not fire.
  row.timerAt = null;
  note(builder, 'workflow.quarantined', row.status, row.status);
  return withPendingEffects(builder, row);
}

export function unquarantine(row: WorkflowRow, graph: Graph, message: Unquarantine, env: Env): StepResult<WorkflowRow> {
  if (!isQuarantined(row)) return { changed: false, row, replies: [] };
  const builder = builderOf(row, graph, env, message);
  note(builder, 'workflow.released', row.status, row.status);
  return { changed: true, row: 'workflow' in row.actors ? resumedRow(builder) : startGraph(builder), replies: [] };
}

function resumedRow(builder: StepBuilder): WorkflowRow {
  const { row, effects } = builder;
  for (const operation of Object.values(row.operations)) {
    if (operation.kind === 'activity') effects.push({ kind: 'work', chain: operation.chain });
    if (operation.kind === 'command') effects.push({ kind: 'notify-agent', operation: operation.id });
  }
  for (const key of taskRunKeys(builder)) builder.touched.add(taskRunNumber(key));
  describeTaskRuns(builder);
  setTimer(builder);
  return withPendingEffects(builder, row);
}
