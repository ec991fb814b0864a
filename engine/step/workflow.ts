/**
 * The pure step: a workflow's row and a message give the row as it shall be, and what is to be done once it is saved.
 * It reads no clock, draws no id and touches nothing (`Env` gives both), so any process may take it, and a step that
 * lost the race for the row is simply taken again.
 *
 * 1. A message that changes nothing (late, repeated, for something that is over) gives `changed: false`.
 * 2. An ended workflow never changes again, save that a repeat is still answered.
 */
import type { Seed, WorkflowMessage } from '../actors/messages.ts';
import type { ReleaseInput } from '../define/command.ts';
import { progress } from '../define/event.ts';
import { weakest } from '../define/known-by.ts';
import { isActive } from '../define/states.ts';
import { skippedLabels } from '../library/list-of-tasks.ts';
import type { Graph } from '../library/types.ts';
import { kindOf } from './cells.ts';
import { begin, type Draft, draftOf, type Env, tell, withTodo } from './draft.ts';
import { interpret, runTimers } from './interpret.ts';
import { describeCalls, noteGraph, noteProgress, setEntry, startWorkflow } from './report.ts';
import type { StepResult, WorkflowRow } from './row.ts';
import { markSent, markUnknown, unmarkSent } from './sent.ts';
import { closeWork, isCancellable } from './works.ts';

/** Timers further off than this are not queued yet; the sweep queues them when they come near. */
export const HORIZON_MS = 60_000;
/** `wakeAt` of far timers is rounded down to this, so that steps seldom touch its index. */
const WAKE_ROUNDING_MS = 60_000;

/** The first step: the row of a new workflow, with its graph begun. */
export const launch = (seed: Seed, graph: Graph, env: Env): WorkflowRow =>
  started(draftOf(emptyRow(seed, graph, env), graph, env, 'launch'));

/** The same for a row that was made without it. */
export function started(draft: Draft): WorkflowRow {
  startWorkflow(draft);
  begin(draft, 'workflow', {}, {});
  return finished(draft, undefined);
}

/** Shares all but its last digits with the workflow's id, so that the workflow is found by it (`idRange`). */
const instanceIdOf = (workflow: string, uuid: string): string => workflow.slice(0, SHARED) + uuid.slice(SHARED);

const SHARED = 28;

/** The ids among which the workflow of a task's instanceId is. */
export const idRange = (instanceId: string) => {
  const shared = instanceId.slice(0, SHARED);
  return { $gte: shared, $lte: `${shared}g` };
};

/** A workflow that has not begun. */
export function emptyRow(seed: Seed, graph: Graph, env: Env): WorkflowRow {
  const tasks = [...graph.labels.values()].map(({ label, task }) => ({
    label,
    taskName: task.name,
    instanceId: instanceIdOf(seed.id, env.uuid()),
    state: 'pending' as const,
    attempts: 0,
    startedAt: null,
    finishedAt: null,
    output: null,
    error: null,
    waitingOn: null,
  }));
  return {
    ...seed,
    version: 0,
    name: graph.friendlyName,
    status: 'pending',
    output: null,
    error: null,
    tasks,
    progress: progress(0, tasks.length, `Graph "${graph.friendlyName}" started`),
    cells: {},
    works: {},
    timers: {},
    taken: {},
    wakeAt: null,
    counts: { calls: 0, works: 0, history: 0 },
    todo: [],
    pending: true,
    startedAt: null,
    finishedAt: null,
    updatedAt: seed.createdAt,
  };
}

export function step(row: WorkflowRow, graph: Graph, message: WorkflowMessage, env: Env): StepResult<WorkflowRow> {
  const lane = 'lane' in message ? message.lane : undefined;
  const draft = draftOf(row, graph, env, message.type, lane);
  const before = row.cells.graph?.snapshot.value;
  const taken = take(draft, message);
  if (!taken) return { changed: false, row, replies: draft.effects };
  noteAgent(draft, message);
  return { changed: true, row: finished(draft, before), replies: [] };
}

/** @returns whether the message changed anything */
function take(draft: Draft, message: WorkflowMessage): boolean {
  const { row } = draft;
  if (message.type === 'work.done' || message.type === 'work.failed') return closeWork(draft, message);
  if (!isActive(row.status)) return false;
  switch (message.type) {
    case 'work.claim':
      return claim(draft, message);
    case 'command.send':
      return markSent(draft, message);
    case 'command.unsent':
      return unmarkSent(draft, message);
    case 'release':
      return releaseAll(draft, message.group);
    case 'quarantine':
    case 'unquarantine':
      // Taken before (`runtime/tell.ts`), where they mean something.
      return false;
    case 'wake':
      return wake(draft);
    case 'cancel':
      if (row.cells.workflow?.snapshot.value !== 'running') return false;
      tell(draft, 'workflow', { type: 'cancel' });
      return true;
    case 'progress': {
      const { taskId, value, maximum, description } = message;
      return noteProgress(draft, taskId, progress(value, maximum, description));
    }
  }
}

function noteAgent({ row }: Draft, message: WorkflowMessage): void {
  const by = 'knownBy' in message ? message.knownBy : undefined;
  if (by !== undefined) row.agentKnownBy = weakest(row.agentKnownBy, by);
}

/** @returns whether anything waited for it */
function releaseAll(draft: Draft, group: string): boolean {
  const parked = Object.values(draft.row.works).filter(
    ({ kind, input }) => kind === 'release' && (input as ReleaseInput).group === group,
  );
  for (const { id } of parked) closeWork(draft, { type: 'work.done', work: id, output: {} });
  return parked.length > 0;
}

/** Only one process may begin a `once` act; who comes second finds the claim and leaves it. */
function claim(draft: Draft, { work, by, over }: Extract<WorkflowMessage, { type: 'work.claim' }>): boolean {
  const { row, touched } = draft;
  const open = row.works[work];
  if (open === undefined || (open.aborting && !isCancellable(open)) || open.claim !== over) return false;
  if (over !== undefined && open.marksSent !== true) markUnknown(draft, open);
  row.works[work] = { ...open, claim: by, ...(open.kind === 'act' && { marksSent: true }) };
  touched.add(open.call);
  return true;
}

function wake(draft: Draft): boolean {
  const due = Object.values(draft.row.timers).some((timer) => timer.at <= draft.env.now);
  if (due) runTimers(draft, kindOf);
  return due;
}

/** Delivers what is left, and rounds the row off: entries, counters, the next wake-up, what is to be done. */
function finished(draft: Draft, graphBefore: unknown): WorkflowRow {
  interpret(draft, kindOf);
  const { row } = draft;
  skipLabels(draft);
  describeCalls(draft);
  noteGraph(draft, graphBefore);
  if (!isActive(row.status)) close(row);
  setWake(draft);
  return withTodo(draft, row);
}

/** Branches that a list-of-tasks graph can no longer take. */
function skipLabels(draft: Draft): void {
  const cell = draft.row.cells.graph;
  if (cell === undefined) return;
  for (const label of skippedLabels(draft.graph, cell.snapshot.context)) {
    if (draft.row.tasks.some((entry) => entry.label === label && entry.state === 'pending')) {
      setEntry(draft, label, { state: 'skipped' });
    }
  }
}

/** An ended workflow keeps what its record shows, and nothing that could act. */
function close(row: WorkflowRow): void {
  const { graph } = row.cells;
  row.cells = graph === undefined ? {} : { graph };
  row.works = {};
  row.timers = {};
}

export function setWake({ row, env, effects }: Draft): void {
  const times = Object.values(row.timers).map((timer) => timer.at);
  const next = times.length === 0 ? null : Math.min(...times);
  if (next !== null && next - env.now < HORIZON_MS) effects.push({ kind: 'wake', at: next });
  const far = next !== null && next - env.now > 2 * WAKE_ROUNDING_MS;
  row.wakeAt = far ? Math.floor(next / WAKE_ROUNDING_MS) * WAKE_ROUNDING_MS : next;
}
