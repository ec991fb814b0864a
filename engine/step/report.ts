/**
 * The visible results of a step: task entries, the workflow's status and progress, its history, and its events.
 *
 * 1. An entry changes only through `setEntry`, which writes the history line and the event of the change.
 * 2. Events get their ids here and keep them; `events.ts` builds the payloads.
 */
import type { TaskRunContext, TaskRunResult } from '../actors/task-run.ts';
import type { WorkflowResult } from '../actors/workflow.ts';
import { type Progress, progress } from '../define/event.ts';
import { isTaskRunEnd, type TaskState } from '../define/states.ts';
import { type Draft, dueAt, entryOf, operationsOf, taskKey, taskRunKey } from './draft.ts';
import type { ActorSnapshot, EventNote, TaskEntry } from './row.ts';

const isEnd = (state: TaskState): boolean => isTaskRunEnd(state) || state === 'skipped';

/** The states that count as progress. The progress of a failed or cancelled task or workflow stays unchanged. */
const isReached = (state: TaskState): boolean => state === 'succeeded' || state === 'skipped';

/** Changes an entry; a change of state adds a history line and an event. */
export function setEntry(draft: Draft, label: string, change: Partial<TaskEntry> & { state: TaskState }): void {
  const { index, entry } = entryOf(draft, label);
  if (entry === undefined) return;
  const at = new Date(draft.env.now).toISOString();
  const isNewTaskRun = isEnd(entry.state) && !isEnd(change.state);
  const next: TaskEntry = {
    ...entry,
    ...(isNewTaskRun && { attemptErrors: [] }),
    ...change,
    startedAt: startOf(entry, change.state, at),
    finishedAt: isEnd(change.state) ? at : null,
  };
  // A label that is entered again has no progress yet; one that succeeded is complete, whatever was last reported.
  if (isEnd(entry.state) && !isEnd(change.state)) delete next.progress;
  if (change.state === 'succeeded' && next.progress !== undefined) next.progress = completed(next.progress);
  draft.row.tasks[index] = next;
  if (entry.state === change.state) return;
  note(draft, `task.${change.state}`, entry.state, change.state, label);
  count(draft, `Task "${label}" ${change.state}`);
  tellProgress(draft, next, draft.row.progress.description);
}

const completed = ({ maximum, description }: Progress): Progress => progress(maximum, maximum, description);

/** A label that is entered again gets a new start; one that never began has none. */
function startOf(entry: TaskEntry, state: TaskState, at: string): string | null {
  if (isEnd(state)) return entry.startedAt;
  return entry.startedAt === null || isEnd(entry.state) ? at : entry.startedAt;
}

/** Updates the entry of every task run that the step touched. */
export function describeTaskRuns(draft: Draft): void {
  for (const taskRun of draft.touched) {
    const actor = draft.row.actors[taskRunKey(taskRun)];
    if (actor?.label !== undefined && !actor.detached) describe(draft, taskRun, actor.label, actor);
  }
}

function describe(draft: Draft, taskRun: number, label: string, actor: ActorSnapshot): void {
  const waitingOn = actor.snapshot.value === 'stopping' ? null : waitOf(draft, taskRun, actor);
  const next = waitingOn === 'retry' || waitingOn === 'bmc' ? nextAttempt(draft, taskRun) : null;
  const state = waitingOn === null ? 'running' : 'waiting';
  setEntry(draft, label, { ...attemptsOf(actor), output: null, error: null, state, waitingOn, nextAttemptAt: next });
}

function attemptsOf({ snapshot }: ActorSnapshot): Pick<TaskEntry, 'attempts' | 'maxAttempts' | 'attemptErrors'> {
  const { attempt = 1, retry, errors } = (snapshot.context ?? {}) as Partial<TaskRunContext>;
  return {
    attempts: attempt,
    ...(retry && { maxAttempts: retry.attempts }),
    ...(errors !== undefined && { attemptErrors: errors }),
  };
}

function nextAttempt({ row }: Draft, taskRun: number): string | null {
  const [backoff, rest] = ['backoff', 'rest'].map((delay) => dueAt(row, taskRunKey(taskRun), `xstate.after.${delay}.`));
  const at = backoff ?? rest ?? null;
  return at === null ? null : new Date(at).toISOString();
}

/** Returns what the task run waits for without a worker; null while a worker or an agent runs one of its operations. */
function waitOf(draft: Draft, taskRun: number, actor: ActorSnapshot): string | null {
  const operations = operationsOf(draft, taskRun);
  if (operations.some(({ kind, claim }) => kind === 'activity' || (kind === 'command' && claim !== undefined)))
    return null;
  if (operations[0] !== undefined) return operations[0].kind;
  if (!(taskKey(taskRun) in draft.row.actors)) return isResting(actor) ? 'bmc' : 'retry';
  return Object.values(draft.row.timers).some((timer) => timer.actor === taskKey(taskRun)) ? 'timer' : actorWait(actor);
}

const isResting = ({ snapshot: { value } }: ActorSnapshot): boolean =>
  (value as { working?: unknown }).working === 'resting';

const actorWait = (actor: ActorSnapshot): string | null => (actor.snapshot.value === 'ended' ? null : 'event');

export function finishTaskRun(draft: Draft, actor: ActorSnapshot, result: TaskRunResult): void {
  // The label was entered again while this task run was stopping: the entry shows the newer one.
  if (Object.entries(draft.row.actors).some(([key, { label }]) => key.startsWith('call:') && label === actor.label))
    return;
  setEntry(draft, actor.label as string, {
    ...attemptsOf(actor),
    state: result.end,
    output: result.output,
    error: result.error,
    waitingOn: null,
    nextAttemptAt: null,
  });
}

export function startWorkflow(draft: Draft): void {
  const { row } = draft;
  row.status = 'running';
  row.startedAt = new Date(draft.env.now).toISOString();
  note(draft, 'workflow.running', 'pending', 'running');
  tellGraph(draft, 'started', {});
}

export function finishWorkflow(draft: Draft, { outcome, output, error }: WorkflowResult): void {
  const { row } = draft;
  const from = row.status;
  for (const { label, state } of row.tasks) if (state === 'pending') setEntry(draft, label, unreached(outcome));
  row.status = outcome;
  row.output = output;
  row.error = error;
  row.finishedAt = new Date(draft.env.now).toISOString();
  count(draft, `Graph "${row.name}" ${outcome}`);
  note(draft, `workflow.${outcome}`, from, outcome);
  tellGraph(draft, 'finished', { progress: row.progress, ...(error === null ? {} : { error }) });
  tellOthers(draft);
}

/** The state of tasks that never began: skipped by a graph that succeeded, otherwise cancelled. */
const unreached = (outcome: string) => ({
  state: outcome === 'succeeded' ? ('skipped' as const) : ('cancelled' as const),
});

/** Frees the node and sends the outcome to the parent workflow. */
function tellOthers({ row, effects }: Draft): void {
  effects.push({ kind: 'tell-node', node: row.target, message: { type: 'ended', workflow: row.id } });
  if (row.parent === null) return;
  const { workflow, operation } = row.parent;
  const code = row.status === 'cancelled' ? 'TASK_CANCELLED' : 'GRAPH_FAILED';
  const message = `the workflow ${row.id} of ${row.graphName} ended ${row.status}`;
  effects.push({
    kind: 'tell-workflow',
    workflow,
    message:
      row.status === 'succeeded'
        ? { type: 'work.done', operation, output: { workflowId: row.id, output: row.output } }
        : { type: 'work.failed', operation, error: { name: 'NodewrightError', message, code } },
  });
}

/** Adds a history line for a change of the graph's own state. */
export function noteGraph(draft: Draft, before: unknown): void {
  const after = draft.row.actors.graph?.snapshot.value;
  const [from, to] = [stateText(before), stateText(after)];
  if (from !== to && to !== '') note(draft, draft.cause, from === '' ? 'pending' : from, to);
}

const stateText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export function note(draft: Draft, event: string, from: string, to: string, label?: string): void {
  draft.lines.push(label === undefined ? { event, from, to } : { event, label, from, to });
}

function count(draft: Draft, description: string): void {
  const { row } = draft;
  const total = row.tasks.length;
  const reached = row.tasks.filter((entry) => isReached(entry.state)).length;
  // If a graph succeeds although a task failed, its progress is complete.
  row.progress = progress(row.status === 'succeeded' ? total : reached, total, description);
}

/** Sets the progress of a task, as reported by the node. */
export function noteProgress(draft: Draft, taskId: string, made: Progress): boolean {
  const index = draft.row.tasks.findIndex((entry) => entry.instanceId === taskId);
  const entry = draft.row.tasks[index];
  if (entry === undefined) return false;
  draft.row.tasks[index] = { ...entry, progress: made };
  note(draft, 'task.progress', entry.state, entry.state, entry.label);
  tellProgress(draft, { ...entry, progress: made }, made.description);
  return true;
}

function tellProgress(draft: Draft, entry: TaskEntry, description: string): void {
  const { label, state } = entry;
  const own = entry.progress ?? progress(isReached(state) ? 1 : 0, 1, description);
  tellGraph(draft, 'progress.updated', { progress: draft.row.progress, task: { label, state, progress: own } });
}

function tellGraph(draft: Draft, action: EventNote['action'], more: Partial<EventNote>): void {
  const { counts, status } = draft.row;
  counts.events = (counts.events ?? 0) + 1;
  draft.events.push({ id: draft.env.uuid(), n: counts.events, action, status, ...more });
}
