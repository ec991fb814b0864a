/** Workflows with a missing definition: suspended with a reason, or abandoned by a cancel. Neither runs the machine. */

import type { Graph } from '../../library/types.ts';
import type { ErrorCode, FlatError } from '../../vocabulary/errors.ts';
import type { WorkflowMessage } from '../actors/messages.ts';
import { type WorkflowResult, withFailures } from '../actors/workflow.ts';
import { builderOf, type Env, type StepBuilder, withPendingEffects } from './builder.ts';
import { runsLeft } from './compensations.ts';
import { finishWorkflow, note, setEntry } from './report.ts';
import type { StepResult, WorkflowRow } from './row.ts';

type Cancel = Extract<WorkflowMessage, { type: 'cancel' }>;

/** A placeholder for steps that need no machine. */
export const noGraph: Graph = {
  name: '',
  friendlyName: '',
  hash: '',
  kind: 'machine',
  labels: new Map(),
  options: {},
  definition: {},
  source: { kind: 'api' },
  machine: undefined as unknown as Graph['machine'],
  labelOf: () => '',
};

/** Suspends the workflow and shows the reason; a repeat with the same reason changes nothing. */
export function suspend(row: WorkflowRow, error: FlatError, env: Env): StepResult<WorkflowRow> {
  if (row.error?.code === error.code) return { changed: false, row, replies: [] };
  const builder = builderOf(row, noGraph, env, { type: 'suspended' });
  builder.row.error = error;
  note(builder, 'workflow.suspended', row.status, row.status);
  return { changed: true, row: withPendingEffects(builder, builder.row), replies: [] };
}

const notRun: Pick<FlatError, 'code' | 'message'> = {
  code: 'COMPENSATION_FAILED' satisfies ErrorCode,
  message: 'it did not run, because the workflow was cancelled without its graph',
};

/** Lists the compensations that do not run, because the code of the graph is missing or must not run. */
function withoutCompensations(builder: StepBuilder, row: WorkflowRow): FlatError | null {
  const labels = runsLeft(row).map(({ label }) => label);
  for (const label of new Set(labels)) {
    setEntry(builder, label, { state: 'cancelled', error: { name: 'NodewrightError', ...notRun }, waitingOn: null });
  }
  return withFailures(
    row.error,
    labels.map((label) => ({ label, ...notRun })),
  );
}

/** Cancels without the machine: activities are aborted, and the node is free immediately. */
export function abandon(row: WorkflowRow, cancel: Cancel, env: Env): StepResult<WorkflowRow> {
  const builder = builderOf(row, noGraph, env, cancel);
  stopOperations(builder, row);
  const error = withoutCompensations(builder, row);
  return { changed: true, row: endedWith(builder, { outcome: 'cancelled', output: null, error }), replies: [] };
}

/** Fails a workflow of which only an old row is left: nothing is known of what it did since. */
export function lose(row: WorkflowRow, env: Env): WorkflowRow {
  // Effects of an old row may have run.
  const builder = builderOf({ ...row, pendingEffects: [] }, noGraph, env, { type: 'lost' });
  const message = 'Redis lost its live state; it is unknown which of its tasks ran, and none runs again';
  const error: FlatError = { name: 'NodewrightError', code: 'STATE_LOST' satisfies ErrorCode, message };
  return endedWith(builder, { outcome: 'failed', output: null, error });
}

function stopOperations(builder: StepBuilder, row: WorkflowRow): void {
  for (const operation of Object.values(row.operations)) {
    if (operation.kind === 'activity')
      builder.effects.push({ kind: 'abort', operation: operation.id, chain: operation.chain });
    if (operation.kind === 'graph')
      builder.effects.push({ kind: 'send-to-workflow', workflow: operation.child, message: { type: 'cancel' } });
  }
}

/** Ends the row; its open tasks are cancelled. */
function endedWith(builder: StepBuilder, result: WorkflowResult): WorkflowRow {
  const { env } = builder;
  builder.row.tasks = builder.row.tasks.map((entry) =>
    entry.state === 'running' || entry.state === 'waiting'
      ? { ...entry, state: 'cancelled', finishedAt: new Date(env.now).toISOString(), waitingOn: null }
      : entry,
  );
  finishWorkflow(builder, result);
  const { toCompensate: _, ...left } = builder.row;
  const ended = { ...left, actors: {}, operations: {}, timers: {}, timerAt: null };
  return withPendingEffects(builder, ended);
}
