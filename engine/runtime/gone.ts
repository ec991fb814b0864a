/** Workflows whose definition is gone: held with a reason, or given up by a cancel. Neither needs the machine. */
import type { FlatError } from '../define/errors.ts';
import type { Graph } from '../library/types.ts';
import { draftOf, type Env } from './draft.ts';
import { finishWorkflow, note } from './report.ts';
import type { Todo, WorkflowRow } from './row.ts';
import type { StepResult } from './rows.ts';

const nothing: Graph = {
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

/** The workflow shows why it does not go on; said once. */
export function hold(row: WorkflowRow, error: FlatError, env: Env): StepResult<WorkflowRow> {
  if (row.error?.code === error.code) return { changed: false, row, replies: [] };
  const draft = draftOf(row, nothing, env, 'held');
  draft.row.error = error;
  note(draft, 'workflow.held', row.status, row.status);
  const todo: Todo = { version: draft.row.version, effects: [], history: draft.history, events: [] };
  return { changed: true, row: { ...draft.row, todo: [...row.todo, todo], pending: true }, replies: [] };
}

/** Cancelled without its machine: acts are told to abort, the node is free at once. */
export function giveUp(row: WorkflowRow, env: Env): StepResult<WorkflowRow> {
  const draft = draftOf(row, nothing, env, 'cancel');
  for (const { id, lane, child } of Object.values(row.works)) {
    if (lane !== undefined) draft.effects.push({ kind: 'abort', work: id, lane });
    if (child !== undefined)
      draft.effects.push({ kind: 'tell-workflow', workflow: child, message: { type: 'cancel' } });
  }
  draft.row.tasks = draft.row.tasks.map((entry) =>
    entry.state === 'running' || entry.state === 'waiting'
      ? { ...entry, state: 'cancelled', finishedAt: new Date(env.now).toISOString(), waitingOn: null }
      : entry,
  );
  finishWorkflow(draft, { outcome: 'cancelled', output: null, error: row.error });
  const todo: Todo = {
    version: draft.row.version,
    effects: draft.effects,
    history: draft.history,
    events: draft.events,
  };
  const ended = { ...draft.row, cells: {}, works: {}, timers: {}, wakeAt: null };
  return { changed: true, row: { ...ended, todo: [...row.todo, todo], pending: true }, replies: [] };
}
