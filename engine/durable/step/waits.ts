/** The waits of a workflow, from its row: what each open task waits for, and when that ends by itself. */
import { isActive, type WaitingOn } from '../../vocabulary/states.ts';
import { byActor, byTaskRun, dueAt, isTaskRun, taskKey, taskRunNumber, timeoutAt } from './builder.ts';
import { isQuarantined } from './quarantined.ts';
import type { LeadingWait, Operation, TaskEntry, WorkflowRow } from './row.ts';

/** A task run that has not ended, or the graph, which has no label. */
export interface OpenWait {
  label: string | null;
  taskRun: number | null;
  /** Absent: of the graph. */
  entry?: TaskEntry;
  /** ms since the epoch; null: without a limit. */
  dueAt: number | null;
  operations: Operation[];
}

/** Returns the waits of an active workflow: its open task runs, and the timer of its graph. */
export function waitsOf(row: WorkflowRow): OpenWait[] {
  if (!isActive(row.status)) return [];
  const [operations, timers] = [byTaskRun(row), byActor(row)];
  const entries = new Map(row.tasks.map((entry) => [entry.label, entry]));
  const waits: OpenWait[] = [];
  for (const key in row.actors) {
    const label = isTaskRun(key) ? row.actors[key]?.label : undefined;
    const entry = entries.get(label ?? '');
    // A task run that the graph has left shows in its entry, until a newer one does.
    if (label === undefined || entry === undefined) continue;
    const taskRun = taskRunNumber(key);
    const due = isQuarantined(row) ? null : dueOf(timers, key, entry);
    waits.push({ label, taskRun, entry, dueAt: due, operations: operations.of(taskRun) });
  }
  const graphDue = isQuarantined(row) ? null : dueAt(timers.of('graph'), '');
  // A workflow that is suspended waits for that, also before its first task and between two of them.
  const isHeld = row.error !== null && waits.length === 0;
  if (graphDue !== null || isHeld) waits.push({ label: null, taskRun: null, dueAt: graphDue, operations: [] });
  return waits;
}

/** A retry and a timer are over before the timeout of the task. */
function dueOf(
  timers: ReturnType<typeof byActor>,
  key: string,
  { waitingOn, nextAttemptAt }: TaskEntry,
): number | null {
  if ((waitingOn === 'retry' || waitingOn === 'bmc') && nextAttemptAt) return Date.parse(nextAttemptAt);
  const own = timers.of(key);
  return earliestDue([timeoutAt(own), dueAt(timers.of(taskKey(taskRunNumber(key))), ''), dueAt(own, '')]);
}

/** Whether the first request of a node's agent ends it, which comes with the boot. */
export const isBoot = ({ operations }: OpenWait): boolean =>
  operations.some((operation) => operation.kind === 'release' && operation.input.onRequest === true);

/** Whether only the agent of the node can end it. */
export const waitsForAgent = (wait: OpenWait): boolean =>
  wait.entry?.waitingOn === 'command' || (wait.entry?.waitingOn === 'release' && isBoot(wait));

/** Returns since when a task waits or runs, in ISO 8601; null: it did not begin. */
export const sinceOf = ({ waitingOn, waitingSince, startedAt }: TaskEntry): string | null =>
  waitingOn === null ? startedAt : (waitingSince ?? startedAt);

/** @param waits of the row @returns null: a task runs, or there is no wait */
export function leadingWait(row: WorkflowRow, waits: readonly OpenWait[]): LeadingWait | null {
  const onOf = ({ entry }: OpenWait): WaitingOn | null =>
    row.error !== null ? 'held' : entry === undefined ? 'timer' : entry.waitingOn;
  const [first] = waits.toSorted(leadingFirst);
  const waitingOn = first === undefined ? null : onOf(first);
  if (first === undefined || waitingOn === null || waits.some((wait) => onOf(wait) === null)) return null;
  const since = (first.entry && sinceOf(first.entry)) ?? row.updatedAt;
  return { label: first.label, waitingOn, since, isForAgent: waitsForAgent(first) };
}

/** The order of waits: first the one that matters, which ends first. */
export const leadingFirst = (one: OpenWait, other: OpenWait): number =>
  rankOf(one) - rankOf(other) || dueFirst(one, other);

/** A task that waits for another one ends after it, and the timer of a graph is a limit of its tasks. */
function rankOf(wait: OpenWait): number {
  if (wait.entry === undefined) return 2;
  return wait.entry.waitingOn === 'release' && !isBoot(wait) ? 1 : 0;
}

const dueFirst = ({ dueAt: one }: OpenWait, { dueAt: other }: OpenWait): number =>
  (one ?? Number.MAX_VALUE) - (other ?? Number.MAX_VALUE);

export function earliestDue(times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}
