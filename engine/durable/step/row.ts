/**
 * The row of a workflow: the complete state of one run of a graph, in one document, so that a step is one
 * compare-and-set. `actors` holds its actors, `operations` their pending operations, `timers` their timers.
 */

import type { BootImage, Command, ReleaseInput } from '../../define/command.ts';
import type { ObmCommand } from '../../define/obm.ts';
import type { ChildGraphInput } from '../../define/operation.ts';
import type { VersionedDocument } from '../../platform/store/port.ts';
import type { Origin } from '../../vocabulary/cause.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import type { Progress, Publication } from '../../vocabulary/event.ts';
import type { KnownBy } from '../../vocabulary/known-by.ts';
import type { TaskState, WaitingOn, WorkflowStatus } from '../../vocabulary/states.ts';
import type { CompletedRun } from '../actors/compensation.ts';
import type { HoldOverride, NodeMessage, StartCommand, WorkflowMessage } from '../actors/messages.ts';
import type { AttemptError } from '../actors/task-run.ts';

/** A machine between two steps: the input of `resolveState`. */
export interface Snapshot {
  value: unknown;
  context: unknown;
  historyValue?: unknown;
}

/**
 * An actor of the workflow. Keys: `workflow`, `graph`, `compensation`, `taskRun:<n>`, `task:<n>`; n numbers the
 * workflow's task runs.
 */
export interface ActorSnapshot {
  snapshot: Snapshot;
  /** Its id in the parent (XState's invoke id); absent on the root. */
  invokeId?: string;
  /** The graph: it accepts no more events; its last context stays for the record. */
  ended?: true;
  /** The graph has left the state that invoked this task run and no longer waits for its end. */
  detached?: true;
  /** Task runs: the label, the number of the label's task run, and the options that the task received. */
  label?: string;
  visit?: number;
  options?: Record<string, unknown>;
  /** Task runs of `once` tasks that the graph wants to retry: an operation has succeeded, so none is. */
  carriedOut?: true;
  /** Task runs with a compensation: the output of an operation that was being aborted and succeeded nevertheless. */
  late?: { output: unknown };
  /** Task runs: the commands sent to obms, by node and command (`sent.ts`). */
  sent?: Record<string, SentMark>;
}

/** A command that may have been executed: its task run does not send it again. */
export interface SentMark {
  /** Id of this send. */
  id: string;
  node: string;
  command: ObmCommand;
  /** The invoke of the task's machine that sent it. */
  invokeId: string;
  /** ms since the epoch. */
  at: number;
  /** That invoke has succeeded. */
  done?: true;
}

/** A pending operation: opened by a step, closed by the message with its end. */
interface PendingOperation {
  id: string;
  /** The number of its task run. */
  taskRun: number;
  /** Its id in the task's machine, and the name of its logic. */
  invokeId: string;
  src: string;
  attempt: number;
  /**
   * `once` activities: the owner process, and a token if it is not the first claim. Set by a step before the activity
   * starts, and never by two. Commands: the agent that the command was last delivered to.
   */
  claim?: string;
  /** Its result is no longer needed; it only has to end. */
  aborting?: true;
}

export interface ActivityOperation extends PendingOperation {
  kind: 'activity';
  input: unknown;
  /** The queue job that runs it. Successive activities on one worker share an activity chain. */
  chain: string;
}

export interface CommandOperation extends PendingOperation {
  kind: 'command';
  input: Command;
  /** The end of its pause, in ms since the epoch. */
  pausedUntil?: number;
}

interface GraphOperation extends PendingOperation {
  kind: 'graph';
  input: ChildGraphInput;
  /** The id of the child workflow. */
  child: string;
}

interface NotificationOperation extends PendingOperation {
  kind: 'notification';
  input: unknown;
}

interface ReleaseOperation extends PendingOperation {
  kind: 'release';
  input: ReleaseInput;
}

export type Operation =
  | ActivityOperation
  | CommandOperation
  | GraphOperation
  | NotificationOperation
  | ReleaseOperation;

export interface Timer {
  actor: string;
  event: { type: string };
  /** Due time in ms since the epoch. */
  at: number;
}

/** One label of the graph, as the API shows it. */
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
  waitingOn: WaitingOn | null;
  /** ISO 8601: since when it waits for that; of the last wait, if it does not wait. Absent: it never waited. */
  waitingSince?: string;
  /** When the wait ends by itself, in ISO 8601; null: it has no limit. Only in displayed rows. */
  dueAt?: string | null;
  /** ISO 8601: when a task run that waits for its next attempt, or for its BMC, continues. */
  nextAttemptAt?: string | null;
  /** Absent: the task has no retries. */
  maxAttempts?: number;
  /** The newest failed attempts, oldest first. */
  attemptErrors?: AttemptError[];
  progress?: Progress;
  /** Compensations only: the label that it undoes. A compensation does not count as progress. */
  compensates?: string;
  /** Its callback URL. Only in displayed rows: it is derived from the row's key. */
  callback?: string;
}

/** The wait of a workflow, of several the one that ends first. Only in displayed rows. */
export interface LeadingWait {
  /** null: the graph itself waits. */
  label: string | null;
  waitingOn: WaitingOn;
  /** ISO 8601. */
  since: string;
  /** Only the agent of the node can end it. */
  isForAgent: boolean;
}

/** An effect of a step. Run after the step is saved, possibly several times: each one is harmless to repeat. */
export type Effect =
  | { kind: 'work'; chain: string }
  | { kind: 'abort'; operation: string; chain: string }
  | { kind: 'launch'; operation: string; child: string; input: ChildGraphInput }
  | { kind: 'notify-agent'; operation: string }
  | { kind: 'timer'; at: number }
  | { kind: 'create'; start: StartCommand }
  | { kind: 'publish'; publication: Publication }
  | { kind: 'send-to-node'; node: string; message: NodeMessage }
  | { kind: 'send-to-workflow'; workflow: string; message: WorkflowMessage };

/** One line of a workflow's history: a change by a saved step. */
export interface HistoryLine {
  event: string;
  label?: string;
  /** State values; those of a graph may be nested. */
  from: unknown;
  to: unknown;
  /** The attempt of a task; absent for the first one, unless it failed. */
  attempt?: number;
  error?: Pick<FlatError, 'code' | 'message'>;
  /** The holds that the launch overrode. */
  override?: Pick<HoldOverride, 'holds' | 'reason'>;
}

/** The changes of a step, as stored: `last` is the number of the workflow's lines up to this step. */
export interface HistoryStep {
  id: string;
  workflow: string;
  version: number;
  at: string;
  last: number;
  lines: HistoryLine[];
  origin: Origin;
}

/** A history line, as displayed. */
export interface HistoryEntry extends HistoryLine, Origin {
  version: number;
  at: string;
}

/** An event of a step, without the fields that follow from the row and the step (`events.ts` completes it). */
export interface EventNote {
  id: string;
  action: 'started' | 'progress.updated' | 'finished';
  n: number;
  status: WorkflowStatus;
  progress?: Progress;
  task?: { label: string; state: TaskState; progress: Progress };
  error?: FlatError;
}

/** The pending effects and events of a step; `version` is the step's, `last` the number of its last history line. */
export interface PendingEffects {
  version: number;
  at: string;
  last: number;
  effects: Effect[];
  lines: HistoryLine[];
  events: EventNote[];
  /** Origin of the history lines. */
  origin?: Origin;
}

/** A row that is changed by steps. */
export interface StepRow extends VersionedDocument {
  /** Saved steps with pending effects, oldest first. */
  pendingEffects: PendingEffects[];
  /** True while a process must act: operations to run, or pending effects. The sweep uses this field. */
  pending: boolean;
  updatedAt: string;
}

/** A step that is computed but not saved. */
export interface StepResult<R> {
  changed: boolean;
  row: R;
  /** Only for a message that changed nothing: answers that need no save. */
  replies: Effect[];
  /** An attempt to save another row with it, instead of an effect: then `row` is this one. */
  joint?: {
    row: R;
    save(change: { before: R; row: R }): Promise<boolean>;
  };
}

export interface WorkflowRow extends StepRow, StartCommand {
  name: string;
  status: WorkflowStatus;
  output: unknown;
  error: FlatError | null;
  tasks: TaskEntry[];
  progress: Progress;
  actors: Record<string, ActorSnapshot>;
  operations: Record<string, Operation>;
  timers: Record<string, Timer>;
  /** Notifications received by this workflow, by operation: a repeated delivery must not be received twice. */
  taken: Record<string, string>;
  /** The secret key of its callbacks. */
  callbackKey: string;
  /** By label: the number of the task run that its callback is for, current or next. Absent: the first. */
  visits?: Record<string, number>;
  /** The runs to undo if the workflow fails or is cancelled, in the order of their ends. Absent: none. */
  toCompensate?: CompletedRun[];
  /** The image of the last boot task that was released, with the task's options. Absent: none was. */
  booted?: BootImage;
  /** The code of its error, a copy for filters. Absent: it has not failed, or with a code of another form. */
  errorCode?: string;
  /** The failure that it belongs to (`failure-cause.ts`). Absent: it has not failed. */
  failure?: string;
  /** The launcher, as records show it: a copy for filters. */
  launchedBy: string | null;
  /** The weakest identification of the agents that had its commands. Absent: no agent had one. */
  agentKnownBy?: KnownBy;
  /** When the sweep must check its timers: at or before the earliest, or null. */
  timerAt: number | null;
  /** Counters: task runs, operations, history lines, and events. */
  counts: { taskRuns: number; operations: number; history: number; events: number };
  /** By whom and when it was paused; absent or null: it is not. */
  paused?: { by: string | null; at: string } | null;
  /** The earliest end of its waits, in ISO 8601; null: without a limit. Only in displayed rows. */
  dueAt?: string | null;
  /** Its wait; null: a task runs, or it has ended. Only in displayed rows. */
  waiting?: LeadingWait | null;
  startedAt: string | null;
  finishedAt: string | null;
}
