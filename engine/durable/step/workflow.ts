/**
 * The pure step: computes the new row and its effects from a workflow's row and a message. It reads no clock and
 * generates no ids (`Env` provides both), so any process may take it, and a step that lost the race for the row is
 * taken again.
 *
 * 1. A message that changes nothing (late, repeated, for an ended operation) returns `changed: false`.
 * 2. An ended workflow never changes again, but repeats are still answered.
 */

import { skippedLabels } from '../../library/forms/list-of-tasks.ts';
import type { Graph } from '../../library/types.ts';
import { launchedBy } from '../../vocabulary/cause.ts';
import { flatten, PermanentError } from '../../vocabulary/errors.ts';
import { progress } from '../../vocabulary/event.ts';
import { lowestOf } from '../../vocabulary/known-by.ts';
import { isActive } from '../../vocabulary/states.ts';
import { MIB } from '../../vocabulary/units.ts';
import type { StartCommand, WorkflowMessage } from '../actors/messages.ts';
import { kindOf } from './actor-kinds.ts';
import { begin, builderOf, type Env, entryOf, type StepBuilder, send, withPendingEffects } from './builder.ts';
import { interpret, runTimers } from './interpret.ts';
import { closeOperation, isCancellable } from './operations.ts';
import { beginPause, endPause, isPaused, retryNow, waitsForAttempt } from './pausing.ts';
import { describeTaskRuns, isCircuitOpen, note, noteGraph, noteProgress, setEntry, startWorkflow } from './report.ts';
import type { StepResult, TaskEntry, Timer, WorkflowRow } from './row.ts';
import { isTooLarge, ROW_LIMIT } from './row-size.ts';
import { markSent, unmarkSent } from './sent.ts';

/** Timers further away than this are not queued yet; the sweep queues them when they are near. */
export const HORIZON_MS = 60_000;
/** `timerAt` of distant timers is rounded down to a multiple of this, so that steps rarely update its index. */
const TIMER_ROUNDING_MS = 60_000;

/** The first step. Returns the row of a new workflow with its graph started. */
export function launch(start: StartCommand, graph: Graph, env: Env): WorkflowRow {
  const begin = (given: Env) => startGraph(builderOf(emptyRow(start, graph, given), graph, given, { type: 'launch' }));
  const row = begin(env);
  return isTooLarge(row) ? begin({ ...env, stray: tooLargeError() }) : row;
}

/** Starts the graph in a row that was created without it. */
export function startGraph(builder: StepBuilder): WorkflowRow {
  startWorkflow(builder);
  begin(builder, 'workflow', {}, {});
  return finishStep(builder, undefined);
}

/** Shares all but its last digits with the workflow's id, so that it identifies the workflow (`idRange`). */
const instanceIdOf = (workflow: string, uuid: string): string => workflow.slice(0, SHARED) + uuid.slice(SHARED);

const SHARED = 28;

/** Returns the range of ids that contains the workflow of a task's instanceId. */
export const idRange = (instanceId: string) => {
  const shared = instanceId.slice(0, SHARED);
  return { $gte: shared, $lte: `${shared}g` };
};

/** Returns the row of a workflow that has not begun. */
export function emptyRow(start: StartCommand, graph: Graph, env: Env): WorkflowRow {
  const tasks: TaskEntry[] = [];
  for (const { label, task, compensates } of graph.labels.values()) {
    const entry: TaskEntry = {
      label,
      taskName: task.name,
      instanceId: instanceIdOf(start.id, env.uuid()),
      state: 'pending',
      attempts: 0,
      startedAt: null,
      finishedAt: null,
      output: null,
      error: null,
      waitingOn: null,
    };
    if (compensates !== undefined) entry.compensates = compensates;
    tasks.push(entry);
  }
  const counted = tasks.filter(({ compensates }) => compensates === undefined).length;
  return {
    version: 0,
    name: graph.friendlyName,
    status: 'pending',
    output: null,
    error: null,
    tasks,
    progress: progress(0, counted, `Graph "${graph.friendlyName}" started`),
    actors: {},
    operations: {},
    timers: {},
    taken: {},
    timerAt: null,
    counts: { taskRuns: 0, operations: 0, history: 0, events: 0 },
    pendingEffects: [],
    pending: true,
    startedAt: null,
    finishedAt: null,
    updatedAt: start.createdAt,
    callbackKey: env.uuid(),
    launchedBy: launchedBy(start),
    ...start,
  };
}

/**
 * A step whose row would be too large is taken again: without the output of the operation that ended, as a failure of its
 * task; and if that is too large as well, with the graph's end.
 */
export function step(row: WorkflowRow, graph: Graph, message: WorkflowMessage, env: Env): StepResult<WorkflowRow> {
  const result = takeStep(row, graph, message, env);
  if (!result.changed || !isTooLarge(result.row)) return result;
  const stray = tooLargeError();
  const failing = takeStep(row, graph, message, { ...env, overflow: flatten(stray) });
  return isTooLarge(failing.row) ? takeStep(row, graph, message, { ...env, overflow: flatten(stray), stray }) : failing;
}

function tooLargeError(): PermanentError {
  const found = `the workflow would have more than ${ROW_LIMIT / MIB} MiB, with its options, contexts and outputs`;
  return new PermanentError(`${found}; keep large values in a catalog or a file`, 'WORKFLOW_TOO_LARGE');
}

function takeStep(row: WorkflowRow, graph: Graph, message: WorkflowMessage, env: Env): StepResult<WorkflowRow> {
  const chain = 'chain' in message ? message.chain : undefined;
  const builder = builderOf(row, graph, env, message, chain);
  const before = row.actors.graph?.snapshot.value;
  const endsGraph = env.stray !== undefined && env.overflow !== undefined;
  if (endsGraph) {
    // The graph ends with the error when it receives something.
    send(builder, 'graph', { type: 'overflow' });
    interpret(builder, kindOf);
  }
  // A timer of the graph has ended with it.
  const taken = take(builder, message) || endsGraph;
  if (!taken) return { changed: false, row, replies: builder.effects };
  noteAgent(builder, message);
  return { changed: true, row: finishStep(builder, before), replies: [] };
}

/** @returns whether the message changed anything */
function take(builder: StepBuilder, message: WorkflowMessage): boolean {
  const { row } = builder;
  if (message.type === 'work.done' || message.type === 'work.failed') return closeOperation(builder, message);
  if (!isActive(row.status)) return false;
  switch (message.type) {
    case 'work.claim':
      return claim(builder, message);
    case 'command.send':
      return markSent(builder, message);
    case 'command.unsent':
      return unmarkSent(builder, message);
    case 'release':
      return releaseAll(builder, message.group);
    case 'quarantine':
    case 'unquarantine':
      // Handled earlier, in `durable/runtime/sender.ts`.
      return false;
    case 'timer':
      return fireTimers(builder);
    case 'cancel':
      if (row.actors.workflow?.snapshot.value !== 'running') return false;
      note(builder, 'workflow.cancelling', row.status, row.status);
      if (isPaused(row)) row.paused = null;
      send(builder, 'workflow', { type: 'cancel' });
      return true;
    case 'pause':
      return beginPause(builder, message.by);
    case 'resume':
      return endPause(builder);
    case 'retry-now':
      return retryNow(builder, message.only === 'bmc' ? isCircuitOpen : waitsForAttempt);
    case 'progress': {
      const { taskId, value, maximum, description } = message;
      return noteProgress(builder, taskId, progress(value, maximum, description));
    }
  }
}

function noteAgent({ row }: StepBuilder, message: WorkflowMessage): void {
  const by = 'knownBy' in message ? message.knownBy : undefined;
  if (by !== undefined) row.agentKnownBy = lowestOf(row.agentKnownBy, by);
}

/** @returns whether anything waited for it */
function releaseAll(builder: StepBuilder, group: string): boolean {
  const parked = Object.values(builder.row.operations).filter(
    (operation) => operation.kind === 'release' && operation.input.group === group,
  );
  for (const { id } of parked) closeOperation(builder, { type: 'work.done', operation: id, output: {} });
  return parked.length > 0;
}

/** Only one process may start a `once` activity; the second finds the claim and does nothing. */
function claim(
  builder: StepBuilder,
  { operation, by, over }: Extract<WorkflowMessage, { type: 'work.claim' }>,
): boolean {
  const { row, operations, touched } = builder;
  const open = row.operations[operation];
  if (open === undefined || (open.aborting && !isCancellable(open))) return false;
  // A process repeats its claim until it knows that the claim is saved; two agents may have the same name.
  if (open.claim !== over && !(open.kind === 'activity' && open.claim === by)) return false;
  operations.set(operation, { ...open, claim: by });
  touched.add(open.taskRun);
  return true;
}

function fireTimers(builder: StepBuilder): boolean {
  const due = Object.values(builder.row.timers).some((timer) => timer.at <= builder.env.now);
  if (due) runTimers(builder, kindOf);
  return due;
}

/** Delivers the remaining events and completes the row: entries, counters, the next timer, pending effects. */
function finishStep(builder: StepBuilder, graphBefore: unknown): WorkflowRow {
  interpret(builder, kindOf);
  const { row } = builder;
  skipLabels(builder);
  describeTaskRuns(builder);
  noteGraph(builder, graphBefore);
  if (!isActive(row.status)) close(row);
  setTimer(builder);
  return withPendingEffects(builder, row);
}

/** Marks the branches that a list-of-tasks graph can no longer take. */
function skipLabels(builder: StepBuilder): void {
  const actor = builder.row.actors.graph;
  if (actor === undefined) return;
  for (const label of skippedLabels(builder.graph, actor.snapshot.context)) {
    if (entryOf(builder, label).entry?.state === 'pending') setEntry(builder, label, { state: 'skipped' });
  }
}

/** Drops all that could still act; an ended workflow keeps only what its record shows. */
function close(row: WorkflowRow): void {
  const { graph } = row.actors;
  row.actors = graph === undefined ? {} : { graph };
  row.operations = {};
  row.timers = {};
  delete row.toCompensate;
  delete row.booted;
}

export function setTimer({ row, env, effects }: StepBuilder): void {
  const next = earliestTimer(row.timers);
  if (next !== null && next - env.now < HORIZON_MS) effects.push({ kind: 'timer', at: next });
  const far = next !== null && next - env.now > 2 * TIMER_ROUNDING_MS;
  row.timerAt = far ? Math.floor(next / TIMER_ROUNDING_MS) * TIMER_ROUNDING_MS : next;
}

function earliestTimer(timers: Record<string, Timer>): number | null {
  let next: number | null = null;
  for (const id in timers) {
    const { at } = timers[id] as Timer;
    if (next === null || at < next) next = at;
  }
  return next;
}
