/**
 * A step in the making: the row as it will be, what is still to be told inside it, and what it asks of the world.
 * Cells never call each other; they leave mail here, and `interpret.ts` delivers it until none is left.
 */
import type { Graph } from '../library/types.ts';
import type { Cell, Effect, EventNote, HistoryLine, Todo, WorkflowRow } from './row.ts';

/** What a pure step may not find out by itself. */
export interface Env {
  /** ms since the epoch. */
  now: number;
  uuid: () => string;
}

export type CellEvent = { type: string } & Record<string, unknown>;
export type Mail = { to: string; event: CellEvent } | { to: string; cell: Omit<Cell, 'snapshot'>; input: unknown };

export interface Draft {
  row: WorkflowRow;
  readonly graph: Graph;
  readonly env: Env;
  readonly mail: Mail[];
  readonly effects: Effect[];
  readonly lines: HistoryLine[];
  readonly events: EventNote[];
  /** Calls whose task entry has to be looked at again when the step is done. */
  readonly touched: Set<number>;
  /** The lane of the worker that reports an end, until the first act of this step has taken it over. */
  lane: string | undefined;
  /** What the step is for, in the history: `launch`, `work.done`, `cancel` ... */
  readonly cause: string;
}

/** A draft on a copy: the row given stays as it is, whatever becomes of the step. */
export function draftOf(row: WorkflowRow, graph: Graph, env: Env, cause: string, lane?: string): Draft {
  return {
    row: {
      ...row,
      version: row.version + 1,
      // An active workflow has an error only while it is held (`gone.ts`); a step says that it goes on.
      error: null,
      cells: { ...row.cells },
      works: { ...row.works },
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

/** The row with what the step leaves to do. */
export function withTodo(draft: Draft, row: WorkflowRow): WorkflowRow {
  const { effects, lines, events } = draft;
  row.counts.history += lines.length;
  const todo: Todo = { version: row.version, at: row.updatedAt, last: row.counts.history, effects, lines, events };
  return { ...row, todo: [...row.todo, todo], pending: true };
}

export const tell = (draft: Draft, to: string, event: CellEvent): void => {
  draft.mail.push({ to, event });
};

/** Brings a machine into being; it takes its first step when its turn in the mail comes. */
export const begin = (draft: Draft, to: string, cell: Omit<Cell, 'snapshot'>, input: unknown): void => {
  draft.mail.push({ to, cell, input });
};

/** Removes a machine with its timers. */
export function drop(draft: Draft, key: string): void {
  delete draft.row.cells[key];
  dropTimers(draft, key);
}

export function dropTimers(draft: Draft, key: string): void {
  for (const [id, timer] of Object.entries(draft.row.timers)) {
    if (timer.cell === key) delete draft.row.timers[id];
  }
}

export const callNumber = (key: string): number => Number(key.slice(key.indexOf(':') + 1));
export const callKey = (call: number): string => `call:${call}`;
export const taskKey = (call: number): string => `task:${call}`;

/** When a timer of a machine is due whose event begins so; null: it has none. */
export function dueAt({ timers }: WorkflowRow, cell: string, event: string): number | null {
  const due = Object.values(timers).filter((timer) => timer.cell === cell && timer.event.type.startsWith(event));
  return due.length === 0 ? null : Math.min(...due.map(({ at }) => at));
}

/** When the call times out, in ms since the epoch; null: never. */
export const timeoutAt = (row: WorkflowRow, call: number): number | null =>
  dueAt(row, callKey(call), 'xstate.after.timeout.');

export const callKeys = (draft: Draft): string[] =>
  Object.keys(draft.row.cells).filter((key) => key.startsWith('call:'));

export const worksOf = (draft: Draft, call: number) =>
  Object.values(draft.row.works).filter((work) => work.call === call);

export const entryOf = (draft: Draft, label: string) => {
  const index = draft.row.tasks.findIndex((entry) => entry.label === label);
  return { index, entry: draft.row.tasks[index] };
};
