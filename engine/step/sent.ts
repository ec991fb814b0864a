/**
 * The commands that a call has sent to obms. They are kept in the call, so they hold over its attempts, over processes and
 * restarts.
 *
 * 1. A command goes out only after a step has put its mark here, and a second mark for the same command is refused. So of
 *    all attempts and processes one sends it.
 * 2. Only the process that runs the act may put a mark, and not after the call was cancelled.
 * 3. A mark is taken back only when the command certainly was not carried out.
 */
import type { WorkflowMessage } from '../actors/messages.ts';
import { type ObmCommand, powerActions, type SentCommand } from '../define/obm.ts';
import { callKey, type Draft } from './draft.ts';
import type { Cell, SentMark, Work, WorkflowRow } from './row.ts';

type Message<Type> = Extract<WorkflowMessage, { type: Type }>;

export const markKey = (node: string, command: ObmCommand): string => `${node} ${command}`;

const marksOf = (row: WorkflowRow, call: number): Record<string, SentMark> => row.cells[callKey(call)]?.sent ?? {};

/** @returns false: the command was sent before, or the act is not this process's to run */
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

/** An act that succeeded has seen what became of its commands. */
export function settleSent(draft: Draft, work: Work): void {
  const own = Object.values(marksOf(draft.row, work.call)).filter(({ invokeId }) => invokeId === work.invokeId);
  setMarks(
    draft,
    work,
    own.map((mark) => ({ ...mark, done: true })),
  );
}

/** A process of an older daemon ran the act, and left no marks: it may have sent anything. */
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

/** Whether the act has sent the command in an earlier attempt, and has succeeded. */
export const isDone = ({ done, invokeId }: SentMark, work: Work): boolean =>
  done === true && invokeId === work.invokeId;

/** As an act gets them. */
export const sentBy = (row: WorkflowRow, work: Work, now: number): SentCommand[] =>
  Object.values(marksOf(row, work.call)).map((mark) => ({
    ...{ command: mark.command, node: mark.node, done: isDone(mark, work) },
    agoMs: Math.max(0, now - mark.at),
  }));

/** Commands of a call of which nothing but the send is known. */
export const unsettled = (cell: Cell | undefined): ObmCommand[] =>
  Object.values(cell?.sent ?? {}).flatMap(({ command, done }) => (done === true ? [] : [command]));
