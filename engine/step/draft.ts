/**
 * The step builder: the new row, the events still to deliver inside it, and its effects. Actors never call each other;
 * they queue events here, and `interpret.ts` delivers them until the queue is empty.
 */
import type { Graph } from '../library/types.ts';
import type { ActorSnapshot, Effect, EventNote, HistoryLine, Todo, WorkflowRow } from './row.ts';

/** Inputs of a step that a pure function cannot obtain itself. */
export interface Env {
  /** ms since the epoch. */
  now: number;
  uuid: () => string;
}

export type ActorEvent = { type: string } & Record<string, unknown>;
export type Mail =
  | { to: string; event: ActorEvent }
  | { to: string; actor: Omit<ActorSnapshot, 'snapshot'>; input: unknown };

export interface Draft {
  row: WorkflowRow;
  readonly graph: Graph;
  readonly env: Env;
  readonly mail: Mail[];
  readonly effects: Effect[];
  readonly lines: HistoryLine[];
  readonly events: EventNote[];
  /** Task runs whose task entry must be updated at the end of the step. */
  readonly touched: Set<number>;
  /** The activity chain of the worker that reports an end, until the first activity of this step continues it. */
  lane: string | undefined;
  /** The cause of the step, for the history: `launch`, `operation.done`, `cancel` ... */
  readonly cause: string;
}

/** Returns a step builder on a copy: the given row stays unchanged. */
export function draftOf(row: WorkflowRow, graph: Graph, env: Env, cause: string, lane?: string): Draft {
  return {
    row: {
      ...row,
      version: row.version + 1,
      // An active workflow has an error only while it is suspended (`gone.ts`); a step shows that it has resumed.
      error: null,
      actors: { ...row.actors },
      operations: { ...row.operations },
      timers: { ...row.timers },
      taken: { ...row.taken },
      callbackKey: row.callbackKey ?? env.uuid(),
      tasks: [...row.tasks],
      counts: { ...row.counts },
      updatedAt: new Date(env.now).toISOString(),
    },
    graph,
    env,
    mail: [],
    effects: [],
    lines: [],
    events: [],
    touched: new Set(),
    lane,
    cause,
  };
}

/** Adds the step's pending effects to the row. */
export function withTodo(draft: Draft, row: WorkflowRow): WorkflowRow {
  const { effects, lines, events } = draft;
  row.counts.history += lines.length;
  const todo: Todo = { version: row.version, at: row.updatedAt, last: row.counts.history, effects, lines, events };
  return { ...row, todo: [...row.todo, todo], pending: true };
}

export const tell = (draft: Draft, to: string, event: ActorEvent): void => {
  draft.mail.push({ to, event });
};

/** Queues the start of a machine. */
export const begin = (draft: Draft, to: string, actor: Omit<ActorSnapshot, 'snapshot'>, input: unknown): void => {
  draft.mail.push({ to, actor, input });
};

/** Removes a machine and its timers. */
export function drop(draft: Draft, key: string): void {
  delete draft.row.actors[key];
  dropTimers(draft, key);
}

export function dropTimers(draft: Draft, key: string): void {
  for (const [id, timer] of Object.entries(draft.row.timers)) {
    if (timer.actor === key) delete draft.row.timers[id];
  }
}

export const taskRunNumber = (key: string): number => Number(key.slice(key.indexOf(':') + 1));
export const taskRunKey = (taskRun: number): string => `call:${taskRun}`;
export const taskKey = (taskRun: number): string => `task:${taskRun}`;

/** Returns when a machine's timer is due whose event begins with `event`; null: there is none. */
export function dueAt({ timers }: WorkflowRow, actor: string, event: string): number | null {
  const due = Object.values(timers).filter((timer) => timer.actor === actor && timer.event.type.startsWith(event));
  return due.length === 0 ? null : Math.min(...due.map(({ at }) => at));
}

/** Returns when the task run times out, in ms since the epoch; null: never. */
export const timeoutAt = (row: WorkflowRow, taskRun: number): number | null =>
  dueAt(row, taskRunKey(taskRun), 'xstate.after.timeout.');

export const taskRunKeys = (draft: Draft): string[] =>
  Object.keys(draft.row.actors).filter((key) => key.startsWith('call:'));

export const operationsOf = (draft: Draft, taskRun: number) =>
  Object.values(draft.row.operations).filter((operation) => operation.taskRun === taskRun);

export const entryOf = (draft: Draft, label: string) => {
  const index = draft.row.tasks.findIndex((entry) => entry.label === label);
  return { index, entry: draft.row.tasks[index] };
};
