/**
 * The step builder: the new row, the events still to deliver inside it, and its effects. Actors never call each other;
 * they queue events here, and `interpret.ts` delivers them until the queue is empty.
 */

import { newRoom, type Room } from '../../library/options/templates.ts';
import type { Graph } from '../../library/types.ts';
import { copyOf } from '../../platform/lib/copy.ts';
import type { Origin } from '../../vocabulary/cause.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import { stepOrigin, type Trigger } from './origin.ts';
import { RecordsByOwner } from './records-by-owner.ts';
import type {
  ActorSnapshot,
  Effect,
  EventNote,
  HistoryLine,
  Operation,
  PendingEffects,
  Timer,
  WorkflowRow,
} from './row.ts';

/** Inputs of a step that a pure function cannot obtain itself. */
export interface Env {
  /** ms since the epoch. */
  now: number;
  uuid: () => string;
  /** The process that runs a new activity chain without a job; absent: none. */
  home?: string | undefined;
  /** An error that code of the graph left to a promise in this step; the graph ends with it. */
  stray?: Error;
  /** An output that ends an operation in this step is dropped, and its task gets this error: the row would be too large. */
  overflow?: FlatError;
}

export type ActorEvent = { type: string } & Record<string, unknown>;
export type QueuedEvent =
  | { to: string; event: ActorEvent }
  | { to: string; actor: Omit<ActorSnapshot, 'snapshot'>; input: unknown };

export interface StepBuilder {
  row: WorkflowRow;
  /** Those of the row, which are changed only here; task runs by their label. */
  readonly actors: RecordsByOwner<'actors', ActorSnapshot, string>;
  /** Those of the row, which are changed only here; by their task run. */
  readonly operations: ReturnType<typeof byTaskRun>;
  /** Those of the row, which are changed only here; by the key of their machine. */
  readonly timers: ReturnType<typeof byActor>;
  /** How many tasks count as progress, and how many of them are reached; undefined: not needed so far. */
  tally: { total: number; reached: number } | undefined;
  readonly graph: Graph;
  readonly env: Env;
  readonly queue: QueuedEvent[];
  readonly effects: Effect[];
  readonly lines: HistoryLine[];
  readonly events: EventNote[];
  /** Task runs whose task entry must be updated at the end of the step. */
  readonly touched: Set<number>;
  /** For the options of all task runs that begin in this step. */
  readonly room: Room;
  /** The activity chain of the worker that reports an end, until the first activity of this step continues it. */
  chain: string | undefined;
  /** The event of the step, for the history: `launch`, `work.done`, `cancel` ... */
  readonly cause: string;
  readonly origin: Origin;
}

/** Returns a step builder on a copy: the given row stays unchanged. */
export function builderOf(row: WorkflowRow, graph: Graph, env: Env, trigger: Trigger, chain?: string): StepBuilder {
  const copy: WorkflowRow = {
    ...row,
    version: row.version + 1,
    // An active workflow has an error only while it is suspended (`suspend.ts`); a step shows that it has resumed.
    error: null,
    tasks: [...row.tasks],
    counts: { ...row.counts },
    updatedAt: new Date(env.now).toISOString(),
  };
  if (row.visits !== undefined) copy.visits = copyOf(row.visits);
  if (row.carried !== undefined) copy.carried = copyOf(row.carried);
  return {
    row: copy,
    actors: new RecordsByOwner(copy, 'actors', labelOf),
    operations: byTaskRun(copy),
    timers: byActor(copy),
    tally: undefined,
    graph,
    env,
    queue: [],
    effects: [],
    lines: [],
    events: [],
    touched: new Set(),
    room: newRoom(),
    chain,
    cause: trigger.type,
    origin: stepOrigin(trigger, row),
  };
}

const labelOf = ({ label }: ActorSnapshot, key: string) => (isTaskRun(key) ? label : undefined);
const taskRunOf = ({ taskRun }: Operation): number => taskRun;
const actorKeyOf = ({ actor }: Timer): string => actor;

/** Also of a row that no step changes. */
export const byTaskRun = (row: Pick<WorkflowRow, 'operations'>) => new RecordsByOwner(row, 'operations', taskRunOf);
export const byActor = (row: Pick<WorkflowRow, 'timers'>) => new RecordsByOwner(row, 'timers', actorKeyOf);

/** Adds the step's pending effects to the row. */
export function withPendingEffects(builder: StepBuilder, row: WorkflowRow): WorkflowRow {
  const { effects, lines, events } = builder;
  row.counts.history += lines.length;
  const own: PendingEffects = {
    version: row.version,
    at: row.updatedAt,
    last: row.counts.history,
    effects,
    lines,
    events,
  };
  if (lines.length > 0) own.origin = builder.origin;
  row.pendingEffects = [...row.pendingEffects, own];
  row.pending = true;
  return row;
}

export const send = (builder: StepBuilder, to: string, event: ActorEvent): void => {
  builder.queue.push({ to, event });
};

/** Queues the start of a machine. */
export const begin = (
  builder: StepBuilder,
  to: string,
  actor: Omit<ActorSnapshot, 'snapshot'>,
  input: unknown,
): void => {
  builder.queue.push({ to, actor, input });
};

/** Removes a machine and its timers. */
export function drop(builder: StepBuilder, key: string): void {
  builder.actors.delete(key);
  builder.timers.deleteOf(key);
}

export const taskRunNumber = (key: string): number => Number(key.slice(key.indexOf(':') + 1));
export const taskRunKey = (taskRun: number): string => `taskRun:${taskRun}`;
export const taskKey = (taskRun: number): string => `task:${taskRun}`;

/** Returns when the first of the timers is due whose event begins with `event`; null: there is none. */
export function dueAt(timers: readonly Timer[], event: string): number | null {
  let due: number | null = null;
  for (const timer of timers) if (timer.event.type.startsWith(event)) due = Math.min(timer.at, due ?? timer.at);
  return due;
}

/** Returns when a task run times out, in ms since the epoch; null: never. @param timers its own */
export const timeoutAt = (timers: readonly Timer[]): number | null => dueAt(timers, 'xstate.after.timeout.');

export const isTaskRun = (key: string): boolean => key.startsWith('taskRun:');
export const taskRunKeys = (builder: StepBuilder): string[] => Object.keys(builder.row.actors).filter(isTaskRun);

/** @throws Error if there is no such actor */
export function actorOf({ row }: StepBuilder, key: string): ActorSnapshot {
  const actor = row.actors[key];
  if (actor === undefined) throw new Error(`the workflow ${row.id} has no actor ${key}`);
  return actor;
}

export function entryOf({ row: { tasks }, graph }: StepBuilder, label: string) {
  const at = positionsOf(graph).get(label) ?? -1;
  const index = tasks[at]?.label === label ? at : tasks.findIndex((entry) => entry.label === label);
  return { index, entry: tasks[index] };
}

/** Positions of the labels, which the tasks of a row have too: a scan for each of a thousand labels takes their square. */
const positions = new WeakMap<Graph, ReadonlyMap<string, number>>();

function positionsOf(graph: Graph): ReadonlyMap<string, number> {
  let all = positions.get(graph);
  if (all === undefined) {
    all = new Map([...graph.labels.keys()].map((label, at) => [label, at]));
    positions.set(graph, all);
  }
  return all;
}
