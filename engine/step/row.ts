/**
 * The row of a workflow: all that is known of one run of a graph, in one document, so that a step is one
 * compare-and-set. Its machines stand in `cells`, what they asked the world for in `works`, their timers in `timers`.
 */

import type { AttemptError } from '../actors/call.ts';
import type { NodeMessage, Seed, WorkflowMessage } from '../actors/messages.ts';
import type { FlatError } from '../define/errors.ts';
import type { Progress, Publication } from '../define/event.ts';
import type { KnownBy } from '../define/known-by.ts';
import type { ObmCommand } from '../define/obm.ts';
import type { TaskState, WorkflowStatus } from '../define/states.ts';
import type { ChildGraphInput, WorkKind } from '../define/work.ts';
import type { Versioned } from '../store/port.ts';

/** A machine between two steps: what `resolveState` needs to go on. */
export interface Snapshot {
  value: unknown;
  context: unknown;
  historyValue?: unknown;
}

/**
 * A machine of the workflow. Keys: `workflow`, `graph`, `call:<n>`, `task:<n>`, n counting the calls of the workflow.
 */
export interface Cell {
  snapshot: Snapshot;
  /** The parent's name for it (XState's invoke id); absent on the root. */
  invokeId?: string;
  /** The graph: it takes no more events; its last context stays for the record. */
  ended?: true;
  /** The graph left the state that invoked this call: nobody waits for its end any more. */
  detached?: true;
  /** Calls: the label it runs, which call of the label it is, and its options as the task got them. */
  label?: string;
  visit?: number;
  options?: Record<string, unknown>;
  /** Calls: the commands that went out to obms, by node and command (`sent.ts`). */
  sent?: Record<string, SentMark>;
}

/** A command that may have been carried out: its call does not send it again. */
export interface SentMark {
  /** Of the one send. */
  id: string;
  node: string;
  command: ObmCommand;
  /** The invoke of the task's machine that it belongs to. */
  invokeId: string;
  /** ms since the epoch. */
  at: number;
  /** That invoke has succeeded. */
  done?: true;
}

/** Work that is under way outside: opened by a step, closed by the message that brings its end. */
export interface Work {
  id: string;
  kind: WorkKind;
  /** The number of the call it belongs to. */
  call: number;
  /** The task machine's name for it, and for the logic behind it. */
  invokeId: string;
  src: string;
  input: unknown;
  attempt: number;
  /** Acts: the queue job that carries it. Acts that follow each other on one worker share a lane. */
  lane?: string;
  /**
   * `once` acts: which process began it. Set by a step before the act starts, and never by two. Commands: the agent
   * that it was handed to last.
   */
  claim?: string;
  /** Whoever claimed it saves each command before it goes out. Absent in rows of older daemons. */
  marksSent?: true;
  /** Child graphs: the id of the child workflow. */
  child?: string;
  /** Nobody waits for its result any more; it only has to end. */
  aborting?: true;
}

export interface Timer {
  cell: string;
  event: { type: string };
  /** When it is due, in ms since the epoch. */
  at: number;
}

/** One label of the graph as the API shows it. */
export interface TaskEntry {
  label: string;
  taskName: string;
  instanceId: string;
  state: TaskState;
  attempts: number;
  startedAt: string | null;
  finishedAt: string | null;
  output: unknown;
  error: FlatError | null;
  waitingOn: string | null;
  /** ISO 8601: when a call that waits for its next attempt, or for its BMC, goes on. */
  nextAttemptAt?: string | null;
  /** Absent: the task has no retries. */
  maxAttempts?: number;
  /** Of the newest attempts that failed, oldest first. */
  attemptErrors?: AttemptError[];
  progress?: Progress;
  /** The URL of its callback. Only in rows that are shown: it is made of the row's key. */
  callback?: string;
}

/** What a step asks for. Carried out after it is saved, any number of times: each is harmless to repeat. */
export type Effect =
  | { kind: 'work'; lane: string }
  | { kind: 'abort'; work: string; lane: string }
  | { kind: 'launch'; work: string; child: string; input: ChildGraphInput }
  | { kind: 'offer'; work: string }
  | { kind: 'wake'; at: number }
  | { kind: 'create'; seed: Seed }
  | { kind: 'publish'; publication: Publication }
  | { kind: 'tell-node'; node: string; message: NodeMessage }
  | { kind: 'tell-workflow'; workflow: string; message: WorkflowMessage };

/** One line of a workflow's history: something that a saved step changed. */
export interface HistoryLine {
  event: string;
  label?: string;
  from: string;
  to: string;
}

/** What a step changed, as it is kept: `last` counts the workflow's lines up to this step. */
export interface HistoryStep {
  id: string;
  workflow: string;
  version: number;
  at: string;
  last: number;
  lines: HistoryLine[];
}

/** A line as it is shown. */
export interface HistoryEntry extends HistoryLine {
  version: number;
  at: string;
}

/** An event of a step, without what the row and the step say already (`events.ts` puts it together). */
export interface EventNote {
  id: string;
  action: 'started' | 'progress.updated' | 'finished';
  /** Absent: an earlier version wrote it. */
  n?: number;
  status: WorkflowStatus;
  progress?: Progress;
  task?: { label: string; state: TaskState; progress: Progress };
  error?: FlatError;
}

/** What a step leaves to be carried out and told; `version` is the step's, `last` that of its last history line. */
export interface Todo {
  version: number;
  at: string;
  last: number;
  effects: Effect[];
  lines: HistoryLine[];
  events: EventNote[];
}

/** A row that changes by steps. */
export interface StepRow extends Versioned {
  /** Steps that were saved and not yet carried out, oldest first. */
  todo: Todo[];
  /** True while a process has to do something for it: work to run, or steps to carry out. The sweep looks here. */
  pending: boolean;
  updatedAt: string;
}

/** A step that was taken but not saved yet. */
export interface StepResult<R> {
  changed: boolean;
  row: R;
  /** Of a message that changed nothing: answers that need no saving. */
  replies: Effect[];
}

export interface WorkflowRow extends StepRow, Seed {
  name: string;
  status: WorkflowStatus;
  output: unknown;
  error: FlatError | null;
  tasks: TaskEntry[];
  progress: Progress;
  cells: Record<string, Cell>;
  works: Record<string, Work>;
  timers: Record<string, Timer>;
  /** Mail that waits of this workflow took, by work: it may be handed over again, and must not be taken twice. */
  taken: Record<string, string>;
  /** The secret that its callbacks are made with. Absent: an earlier version took the last step. */
  callbackKey?: string;
  /** By label: the number of the call that its callback is for, which runs or is the next. Absent: the first. */
  visits?: Record<string, number>;
  /** How the agents were known that had its commands: as the least known of them. Absent: none had one. */
  agentKnownBy?: KnownBy;
  /** When the sweep has to look at its timers: at or before the earliest, or null. */
  wakeAt: number | null;
  /** Counters: calls made, works opened, history lines written, events noted (absent: by an earlier version). */
  counts: { calls: number; works: number; history: number; events?: number };
  startedAt: string | null;
  finishedAt: string | null;
}
