/**
 * The commands that a task run has sent to obms. They are stored in the task run, so they persist over its attempts,
 * over processes and restarts.
 *
 * 1. A command is sent only after a step has saved its mark here, and a second mark for the same command is rejected.
 *    Of all attempts and processes, only one sends it.
 * 2. Only the process that runs the activity may set a mark, and not after a cancel of the task run.
 * 3. A mark is removed only if the command was definitely not executed.
 */

import type { ObmCommand, SentCommand } from '../../define/obm.ts';
import { property } from '../../vocabulary/json.ts';
import type { WorkflowMessage } from '../actors/messages.ts';
import { actorOf, type StepBuilder, taskRunKey } from './builder.ts';
import type { ActorSnapshot, Operation, SentMark, WorkflowRow } from './row.ts';

type Message<Type> = Extract<WorkflowMessage, { type: Type }>;

const markKey = (node: string, command: ObmCommand): string => `${node} ${command}`;

const marksOf = (row: WorkflowRow, taskRun: number): Record<string, SentMark> =>
  row.actors[taskRunKey(taskRun)]?.sent ?? {};

/** @returns false if the command was sent before, or another process runs the activity */
export function markSent(builder: StepBuilder, { operation, by, id, node, command }: Message<'command.send'>): boolean {
  const open = builder.row.operations[operation];
  if (open === undefined || open.aborting || (open.claim ?? by) !== by) return false;
  const before = marksOf(builder.row, open.taskRun)[markKey(node, command)];
  // The same mark is sent, and saved, again until the process knows that it is saved.
  if (before !== undefined && before.id !== id) return false;
  setMarks(builder, open, [{ id, node, command, invokeId: open.invokeId, at: builder.env.now }]);
  return true;
}

export function unmarkSent(builder: StepBuilder, { operation, id }: Message<'command.unsent'>): boolean {
  const taskRun = builder.row.operations[operation]?.taskRun;
  if (taskRun === undefined) return false;
  const left = Object.entries(marksOf(builder.row, taskRun)).filter(([, mark]) => mark.id !== id);
  if (left.length === Object.keys(marksOf(builder.row, taskRun)).length) return false;
  const key = taskRunKey(taskRun);
  builder.actors.set(key, { ...actorOf(builder, key), sent: Object.fromEntries(left) });
  return true;
}

/** An activity that succeeded has verified the outcome of its commands. */
export function settleSent(builder: StepBuilder, operation: Operation): void {
  const sent = builder.row.actors[taskRunKey(operation.taskRun)]?.sent;
  if (sent === undefined) return;
  const own = Object.values(sent).filter(({ invokeId }) => invokeId === operation.invokeId);
  setMarks(
    builder,
    operation,
    own.map((mark) => ({ ...mark, done: true })),
  );
}

function setMarks(builder: StepBuilder, { taskRun }: Operation, marks: readonly SentMark[]): void {
  const actor = builder.row.actors[taskRunKey(taskRun)];
  if (actor === undefined || marks.length === 0) return;
  const added = Object.fromEntries(marks.map((mark) => [markKey(mark.node, mark.command), mark]));
  builder.actors.set(taskRunKey(taskRun), { ...actor, sent: { ...actor.sent, ...added } });
}

export const markOf = (
  row: WorkflowRow,
  operation: Operation,
  node: string,
  command: ObmCommand,
): SentMark | undefined => marksOf(row, operation.taskRun)[markKey(node, command)];

/** Whether the activity sent the command in an earlier attempt and succeeded. */
export const isDone = ({ done, invokeId }: SentMark, operation: Operation): boolean =>
  done === true && invokeId === operation.invokeId;

/** Returns the sent commands in the form that an activity receives. */
export const sentBy = (row: WorkflowRow, operation: Operation, now: number): SentCommand[] =>
  Object.values(marksOf(row, operation.taskRun)).map((mark) => ({
    command: mark.command,
    node: mark.node,
    done: isDone(mark, operation),
    agoMs: Math.max(0, now - mark.at),
  }));

/** Whether the task run has done anything outside, as far as its policy for `once` tasks asks. */
export const hasCarriedOut = (actor: ActorSnapshot | undefined): boolean =>
  actor?.carriedOut === true || (actor?.sent !== undefined && Object.keys(actor.sent).length > 0);

/** Records that an operation of a `once` task succeeded: its graph's retry policy repeats nothing after that. */
export function noteCarriedOut({ row, actors }: StepBuilder, { taskRun }: Operation): void {
  const key = taskRunKey(taskRun);
  const actor = row.actors[key];
  if (actor !== undefined && property(actor.snapshot.context, 'once')) actors.set(key, { ...actor, carriedOut: true });
}

const none: readonly ObmCommand[] = [];

/** Returns the commands of a task run that were sent and have an unknown outcome. */
export const unsettledCommands = ({ sent }: Partial<ActorSnapshot> = {}): readonly ObmCommand[] =>
  sent === undefined ? none : Object.values(sent).flatMap(({ command, done }) => (done === true ? [] : [command]));
