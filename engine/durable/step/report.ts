/**
 * The visible results of a step: task entries, the workflow's status and progress, its history, and its events.
 *
 * 1. An entry changes only through `setEntry`, which writes the history line and the event of the change.
 * 2. Events get their ids here and keep them; `events.ts` builds the payloads.
 */

import { type Progress, progress } from '../../vocabulary/event.ts';
import { property } from '../../vocabulary/json.ts';
import { isTaskRunEnd, type TaskState, type WaitingOn } from '../../vocabulary/states.ts';
import type { TaskRunContext, TaskRunResult } from '../actors/task-run.ts';
import type { WorkflowResult } from '../actors/workflow.ts';
import { dueAt, entryOf, type StepBuilder, taskKey, taskRunKey } from './builder.ts';
import { failureCause, failureIdOf } from './failure-cause.ts';
import type { ActorSnapshot, EventNote, HistoryLine, TaskEntry } from './row.ts';

const isEnd = (state: TaskState): boolean => isTaskRunEnd(state) || state === 'skipped';

/** The states that count as progress. The progress of a failed or cancelled task or workflow stays unchanged. */
const isReached = (state: TaskState): boolean => state === 'succeeded' || state === 'skipped';

type EntryChange = Partial<TaskEntry> & { state: TaskState };

/** Changes an entry; a change of state adds a history line and an event. */
export function setEntry(builder: StepBuilder, label: string, change: EntryChange): void {
  const { index, entry } = entryOf(builder, label);
  if (entry === undefined) return;
  const at = builder.row.updatedAt;
  const before = isEnd(entry.state) && !isEnd(change.state) ? enteredAgain(entry) : entry;
  const next: TaskEntry = Object.assign({}, before, change);
  next.startedAt = startOf(entry, change.state, at);
  next.finishedAt = isEnd(change.state) ? at : null;
  // A label that succeeded is complete, whatever was last reported.
  if (change.state === 'succeeded' && next.progress !== undefined) next.progress = completeProgress(next.progress);
  if (next.waitingOn !== null && next.waitingOn !== entry.waitingOn) next.waitingSince = at;
  builder.row.tasks[index] = next;
  if (entry.state === change.state) return;
  if (builder.tally !== undefined) builder.tally.reached += reachedBy(next) - reachedBy(entry);
  builder.lines.push(lineOf(entry, next));
  count(builder, `Task "${label}" ${change.state}`);
  publishProgress(builder, next, builder.row.progress.description);
}

const enteredAgain = ({ progress: _, ...entry }: TaskEntry): TaskEntry => ({ ...entry, attemptErrors: [] });

const completeProgress = ({ maximum, description }: Progress): Progress => progress(maximum, maximum, description);

/** A label that is entered again gets a new start; one that never began has none. */
function startOf(entry: TaskEntry, state: TaskState, at: string): string | null {
  if (isEnd(state)) return entry.startedAt;
  return entry.startedAt === null || isEnd(entry.state) ? at : entry.startedAt;
}

/** Updates the entry of every task run that the step touched. */
export function describeTaskRuns(builder: StepBuilder): void {
  for (const taskRun of builder.touched) {
    const actor = builder.row.actors[taskRunKey(taskRun)];
    if (actor?.label !== undefined && !actor.detached) describe(builder, taskRun, actor.label, actor);
  }
}

function describe(builder: StepBuilder, taskRun: number, label: string, actor: ActorSnapshot): void {
  const waitingOn = actor.snapshot.value === 'stopping' ? null : waitOf(builder, taskRun, actor);
  const next = waitingOn === 'retry' || waitingOn === 'bmc' ? nextAttempt(builder, taskRun) : null;
  const state = waitingOn === null ? 'running' : 'waiting';
  const change: EntryChange = { output: null, error: null, state, waitingOn, nextAttemptAt: next };
  setEntry(builder, label, withAttempts(change, actor));
}

function withAttempts(change: EntryChange, { snapshot }: ActorSnapshot): EntryChange {
  const { attempt = 1, retry, errors } = (snapshot.context ?? {}) as Partial<TaskRunContext>;
  change.attempts = attempt;
  if (retry) change.maxAttempts = retry.attempts;
  if (errors !== undefined) change.attemptErrors = errors;
  return change;
}

function nextAttempt({ timers }: StepBuilder, taskRun: number): string | null {
  const own = timers.of(taskRunKey(taskRun));
  const [backoff, circuit] = ['backoff', 'circuit'].map((delay) => dueAt(own, `xstate.after.${delay}.`));
  const at = backoff ?? circuit ?? null;
  return at === null ? null : new Date(at).toISOString();
}

/** Returns what the task run waits for without a worker; null while a worker or an agent runs one of its operations. */
function waitOf(builder: StepBuilder, taskRun: number, actor: ActorSnapshot): WaitingOn | null {
  if (actor.snapshot.value === 'paused') return 'paused';
  const operations = builder.operations.of(taskRun);
  for (const { kind, claim } of operations) {
    if (kind === 'activity' || (kind === 'command' && claim !== undefined)) return null;
  }
  // An installer serves its image in the meantime; its report is what ends the wait.
  const waits = operations.find(({ kind }) => kind === 'notification') ?? operations[0];
  if (waits !== undefined) return waits.kind === 'activity' ? null : waits.kind === 'graph' ? 'child' : waits.kind;
  if (!(taskKey(taskRun) in builder.row.actors)) return isCircuitOpen(actor) ? 'bmc' : 'retry';
  return builder.timers.of(taskKey(taskRun)).length > 0 ? 'timer' : actorWait(actor);
}

export const isCircuitOpen = ({ snapshot: { value } }: ActorSnapshot): boolean =>
  property(value, 'working') === 'circuitOpen';

const actorWait = (actor: ActorSnapshot): WaitingOn | null => (actor.snapshot.value === 'ended' ? null : 'event');

export function finishTaskRun(builder: StepBuilder, actor: ActorSnapshot, result: TaskRunResult): void {
  // The label was entered again while this task run was stopping: the entry shows the newer one.
  const label = actor.label as string;
  if (builder.actors.of(label).length > 0) return;
  const { end, output, error } = result;
  const change: EntryChange = { output, error, state: end, waitingOn: null, nextAttemptAt: null };
  setEntry(builder, label, withAttempts(change, actor));
}

export function startWorkflow(builder: StepBuilder): void {
  const { row } = builder;
  row.status = 'running';
  row.startedAt = new Date(builder.env.now).toISOString();
  const { override } = row;
  if (override !== undefined) {
    const { holds, reason } = override;
    builder.lines.push({ event: 'holds.overridden', from: 'pending', to: 'pending', override: { holds, reason } });
  }
  note(builder, 'workflow.running', 'pending', 'running');
  sendToGraph(builder, 'started', {});
}

/** A task may throw any code; only one of this form is copied to the index. */
const STORABLE_CODE = /^[\w.:-]{1,100}$/;

export function finishWorkflow(builder: StepBuilder, { outcome, output, error }: WorkflowResult): void {
  const { row } = builder;
  const from = row.status;
  for (const entry of row.tasks)
    if (entry.state === 'pending') setEntry(builder, entry.label, unreachedError(entry, outcome));
  row.status = outcome;
  row.output = output;
  row.error = error;
  if (error !== null && STORABLE_CODE.test(error.code)) row.errorCode = error.code;
  const cause = outcome === 'failed' ? failureCause(row) : undefined;
  if (cause !== undefined) row.failure = failureIdOf(cause);
  row.finishedAt = new Date(builder.env.now).toISOString();
  count(builder, `Graph "${row.name}" ${outcome}`);
  note(builder, `workflow.${outcome}`, from, outcome);
  sendToGraph(builder, 'finished', { progress: row.progress, ...(error === null ? {} : { error }) });
  sendToOthers(builder);
}

/** The state of tasks that never began: skipped by a graph that succeeded, otherwise cancelled. */
const unreachedError = ({ compensates }: TaskEntry, outcome: string) => ({
  state: outcome === 'succeeded' || compensates !== undefined ? ('skipped' as const) : ('cancelled' as const),
});

/** Frees the node and sends the outcome to the parent workflow. */
function sendToOthers({ row, effects }: StepBuilder): void {
  effects.push({ kind: 'send-to-node', node: row.mailboxId, message: { type: 'ended', workflow: row.id } });
  if (row.parent === null) return;
  const { workflow, operation } = row.parent;
  const code = row.status === 'cancelled' ? 'TASK_CANCELLED' : 'GRAPH_FAILED';
  const message = `the workflow ${row.id} of ${row.graphName} ended ${row.status}`;
  effects.push({
    kind: 'send-to-workflow',
    workflow,
    message:
      row.status === 'succeeded'
        ? { type: 'work.done', operation, output: { workflowId: row.id, output: row.output } }
        : { type: 'work.failed', operation, error: { name: 'NodewrightError', message, code } },
  });
}

/** Adds a history line for a change of the graph's own state. */
export function noteGraph(builder: StepBuilder, before: unknown): void {
  const after = builder.row.actors.graph?.snapshot.value;
  if (after === undefined || after === null || sameState(before, after)) return;
  note(builder, builder.cause, before ?? 'pending', after);
}

const sameState = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

function lineOf(before: TaskEntry, { label, state, attempts, error, attemptErrors, nextAttemptAt }: TaskEntry) {
  const line: HistoryLine = { event: `task.${state}`, label, from: before.state, to: state };
  // A task that waits for its next attempt has failed once more.
  const cause = error ?? (nextAttemptAt ? attemptErrors?.at(-1) : undefined);
  if (attempts > 1 || (cause && attempts > 0)) line.attempt = attempts;
  if (cause) line.error = { code: cause.code, message: cause.message };
  return line;
}

export function note(builder: StepBuilder, event: string, from: unknown, to: unknown, label?: string): void {
  builder.lines.push(label === undefined ? { event, from, to } : { event, label, from, to });
}

/** A compensation does not count. */
const reachedBy = ({ compensates, state }: TaskEntry): number =>
  compensates === undefined && isReached(state) ? 1 : 0;

function tallyOf(builder: StepBuilder): { total: number; reached: number } {
  if (builder.tally !== undefined) return builder.tally;
  const tally = { total: 0, reached: 0 };
  for (const entry of builder.row.tasks) {
    if (entry.compensates === undefined) tally.total += 1;
    tally.reached += reachedBy(entry);
  }
  builder.tally = tally;
  return tally;
}

function count(builder: StepBuilder, description: string): void {
  const { row } = builder;
  const { total, reached } = tallyOf(builder);
  // If a graph succeeds although a task failed, its progress is complete.
  row.progress = progress(row.status === 'succeeded' ? total : reached, total, description);
}

/** Sets the progress of a task, as reported by the node. */
export function noteProgress(builder: StepBuilder, taskId: string, made: Progress): boolean {
  const index = builder.row.tasks.findIndex((entry) => entry.instanceId === taskId);
  const entry = builder.row.tasks[index];
  if (entry === undefined) return false;
  builder.row.tasks[index] = { ...entry, progress: made };
  note(builder, 'task.progress', entry.state, entry.state, entry.label);
  publishProgress(builder, { ...entry, progress: made }, made.description);
  return true;
}

function publishProgress(builder: StepBuilder, entry: TaskEntry, description: string): void {
  const { label, state } = entry;
  const own = entry.progress ?? progress(isReached(state) ? 1 : 0, 1, description);
  sendToGraph(builder, 'progress.updated', { progress: builder.row.progress, task: { label, state, progress: own } });
}

function sendToGraph(builder: StepBuilder, action: EventNote['action'], more: Partial<EventNote>): void {
  const { counts, status } = builder.row;
  counts.events += 1;
  builder.events.push({ id: builder.env.uuid(), n: counts.events, action, status, ...more });
}
