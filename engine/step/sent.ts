/**
 * The commands that a task run has sent to obms. They are stored in the task run, so they persist over its attempts,
 * over processes and restarts.
 *
 * 1. A command is sent only after a step has saved its mark here, and a second mark for the same command is rejected.
 *    Of all attempts and processes, only one sends it.
 * 2. Only the process that runs the activity may set a mark, and not after a cancel of the task run.
 * 3. A mark is removed only if the command was definitely not executed.
 */
import type { WorkflowMessage } from '../actors/messages.ts';
import { type ObmCommand, powerActions, type SentCommand } from '../define/obm.ts';
import { callKey, type Draft } from './draft.ts';
import type { Cell, SentMark, Work, WorkflowRow } from './row.ts';

type Message<Type> = Extract<WorkflowMessage, { type: Type }>;

export const markKey = (node: string, command: ObmCommand): string => `${node} ${command}`;

const marksOf = (row: WorkflowRow, call: number): Record<string, SentMark> => row.cells[callKey(call)]?.sent ?? {};

/** @returns false if the command was sent before, or another process runs the activity */
export function markSent(draft: Draft, { work, by, id, node, command }: Message<'command.send'>): boolean {
  const open = draft.row.works[work];
  if (open === undefined || open.aborting || (open.claim ?? by) !== by) return false;
  if (markKey(node, command) in marksOf(draft.row, open.call)) return false;
  setMarks(draft, open, [{ id, node, command, invokeId: open.invokeId, at: draft.env.now }]);
  return true;
}

export function unmarkSent(draft: Draft, { work, id }: Message<'command.unsent'>): boolean {
  const call = draft.row.works[work]?.call;
  if (call === undefined) return false;
  const left = Object.entries(marksOf(draft.row, call)).filter(([, mark]) => mark.id !== id);
  if (left.length === Object.keys(marksOf(draft.row, call)).length) return false;
  draft.row.cells[callKey(call)] = { ...(draft.row.cells[callKey(call)] as Cell), sent: Object.fromEntries(left) };
  return true;
}

/** An activity that succeeded has verified the outcome of its commands. */
export function settleSent(draft: Draft, work: Work): void {
  const own = Object.values(marksOf(draft.row, work.call)).filter(({ invokeId }) => invokeId === work.invokeId);
  setMarks(
    draft,
    work,
    own.map((mark) => ({ ...mark, done: true })),
  );
}

/** A process of an older daemon ran the activity without marks: it may have sent any command. */
export function markUnknown(draft: Draft, work: Work): void {
  const { node } = draft.row;
  if (node === null || work.kind !== 'act') return;
  const commands: ObmCommand[] = [...powerActions.map((action) => `power ${action}` as const), 'clear log'];
  const common = { id: `unknown ${work.id}`, node, invokeId: work.invokeId, at: draft.env.now };
  const known = marksOf(draft.row, work.call);
  const missing = commands.filter((command) => !(markKey(node, command) in known));
  setMarks(
    draft,
    work,
    missing.map((command) => ({ ...common, command })),
  );
}

function setMarks(draft: Draft, { call }: Work, marks: readonly SentMark[]): void {
  const cell = draft.row.cells[callKey(call)];
  if (cell === undefined || marks.length === 0) return;
  const added = Object.fromEntries(marks.map((mark) => [markKey(mark.node, mark.command), mark]));
  draft.row.cells[callKey(call)] = { ...cell, sent: { ...cell.sent, ...added } };
}

export const markOf = (row: WorkflowRow, work: Work, node: string, command: ObmCommand): SentMark | undefined =>
  marksOf(row, work.call)[markKey(node, command)];

/** Whether the activity sent the command in an earlier attempt and succeeded. */
export const isDone = ({ done, invokeId }: SentMark, work: Work): boolean =>
  done === true && invokeId === work.invokeId;

/** Returns the sent commands in the form that an activity receives. */
export const sentBy = (row: WorkflowRow, work: Work, now: number): SentCommand[] =>
  Object.values(marksOf(row, work.call)).map((mark) => ({
    ...{ command: mark.command, node: mark.node, done: isDone(mark, work) },
    agoMs: Math.max(0, now - mark.at),
  }));

/** Returns the commands of a task run that were sent and have an unknown outcome. */
export const unsettled = (cell: Cell | undefined): ObmCommand[] =>
  Object.values(cell?.sent ?? {}).flatMap(({ command, done }) => (done === true ? [] : [command]));
