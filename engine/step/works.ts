/**
 * Operations: opened for a task's machine, stopped when the machine leaves them, closed when their end is reported.
 *
 * 1. An operation is opened by a step and started only after the step is saved.
 * 2. A stopped activity or child workflow stays open, `aborting`, until its end is reported, because only then is the
 *    hardware idle. The same applies to a command that an agent has or has to be notified of. A wait is closed at once.
 * 3. A report for an operation that is not open is late or a repeat; it changes nothing.
 */
import type { WorkflowMessage } from '../actors/messages.ts';
import type { Command } from '../define/command.ts';
import type { FlatError } from '../define/errors.ts';
import { type ChildGraphInput, workKind } from '../define/work.ts';
import { waiterOf } from './callbacks.ts';
import { callKey, callNumber, type Draft, taskKey, tell, worksOf } from './draft.ts';
import type { Spawn } from './interpret.ts';
import type { Effect, Work, WorkflowRow } from './row.ts';
import { settleSent } from './sent.ts';

export type Report =
  | { type: 'work.done'; work: string; output: unknown; mail?: string }
  | { type: 'work.failed'; work: string; error: FlatError };

const TAKEN_LIMIT = 100;

/** Activities, child workflows and delivered or cancellable commands take time to stop; waits do not. */
export const takesTime = (work: Work): boolean =>
  work.kind === 'act' ||
  work.kind === 'graph' ||
  (work.kind === 'command' && (work.claim !== undefined || isCancellable(work)));

/** A command that can be notified of a cancel while it runs. */
export const isCancellable = ({ kind, input }: Work): boolean =>
  kind === 'command' && (input as Command | null)?.cancellable === true;

export function openWork(draft: Draft, key: string, logic: unknown, { id, src, input }: Spawn): void {
  const call = callNumber(key);
  const kind = workKind(logic);
  if (kind === undefined)
    throw new Error(`${src} is not an operation: expected an act, notification, childGraph, command or release`);
  draft.row.counts.works += 1;
  const work: Work = {
    id: `w${draft.row.counts.works}`,
    kind,
    call,
    invokeId: id,
    src,
    input: input ?? null,
    attempt: attemptOf(draft, call),
  };
  draft.row.works[work.id] = begun(draft, work);
  draft.touched.add(call);
}

/** Requests the start, and adds the fields that the kind needs. */
function begun(draft: Draft, work: Work): Work {
  switch (work.kind) {
    case 'act':
      return inLane(draft, work);
    case 'graph': {
      const child = draft.env.uuid();
      draft.effects.push({ kind: 'launch', work: work.id, child, input: work.input as ChildGraphInput });
      return { ...work, child };
    }
    case 'notification': {
      const message = { type: 'await', ...waiterOf(draft.row, work) } as const;
      draft.effects.push({ kind: 'tell-node', node: draft.row.target, message });
      return work;
    }
    case 'command':
      draft.effects.push({ kind: 'offer', work: work.id });
      return work;
    case 'release':
      return work;
  }
}

/** The worker that reported the last end runs the next activity; further ones get a new queue job each. */
function inLane(draft: Draft, work: Work): Work {
  if (draft.lane !== undefined) {
    const { lane } = draft;
    draft.lane = undefined;
    return { ...work, lane };
  }
  const lane = `${draft.row.id}-${work.id}`;
  draft.effects.push({ kind: 'work', lane });
  return { ...work, lane };
}

const waiter = (draft: Draft, work: string): string => `${draft.row.id}/${work}`;

export function attemptOf(draft: Draft, call: number): number {
  const context = draft.row.cells[callKey(call)]?.snapshot.context as { attempt?: number } | undefined;
  return context?.attempt ?? 1;
}

export function stopWork(draft: Draft, work: Work): void {
  draft.touched.add(work.call);
  if (!takesTime(work)) {
    delete draft.row.works[work.id];
    if (work.kind === 'notification') tellNode(draft, { type: 'release', waiter: waiter(draft, work.id) });
    return;
  }
  draft.row.works[work.id] = { ...work, aborting: true };
  // The engine cannot stop a command on an agent and waits for its end. A cancellable one is notified through the agent.
  if (work.kind === 'command') {
    if (work.claim === undefined) draft.effects.push({ kind: 'offer', work: work.id });
    return;
  }
  if (work.child !== undefined) {
    draft.effects.push({ kind: 'tell-workflow', workflow: work.child, message: { type: 'cancel' } });
  } else draft.effects.push({ kind: 'abort', work: work.id, lane: work.lane as string });
}

const tellNode = (draft: Draft, message: { type: 'release'; waiter: string; mail?: string }): void => {
  draft.effects.push({ kind: 'tell-node', node: draft.row.target, message });
};

/** @returns false if the operation is not open: the report is late or a repeat */
export function closeWork(draft: Draft, report: Report): boolean {
  const work = draft.row.works[report.work];
  const mail = report.type === 'work.done' ? report.mail : undefined;
  if (work === undefined) {
    draft.effects.push(...lateMail(draft.row, report));
    return false;
  }
  delete draft.row.works[work.id];
  draft.touched.add(work.call);
  if (report.type === 'work.done') settleSent(draft, work);
  if (mail !== undefined) {
    remember(draft, work.id, mail);
    tellNode(draft, { type: 'release', waiter: waiter(draft, work.id), mail });
  }
  if (work.aborting) quietCall(draft, work.call, lastWords(work, report));
  else tell(draft, taskKey(work.call), ending(work, report));
  return true;
}

/** Deliveries are repeated only within a short time, so the oldest entry may be dropped. */
function remember({ row }: Draft, work: string, mail: string): void {
  row.taken[work] = mail;
  const [oldest] = Object.keys(row.taken);
  if (Object.keys(row.taken).length > TAKEN_LIMIT) delete row.taken[oldest as string];
}

/**
 * The answer to a notification for an ended wait: confirms it if the wait received it, else frees it for the next wait.
 */
export function lateMail({ id, target, taken }: WorkflowRow, report: WorkflowMessage): Effect[] {
  if (report.type !== 'work.done' || report.mail === undefined) return [];
  const took = taken[report.work] === report.mail ? { mail: report.mail } : {};
  return [{ kind: 'tell-node', node: target, message: { type: 'release', waiter: `${id}/${report.work}`, ...took } }];
}

const ending = (work: Work, report: Report) =>
  report.type === 'work.done'
    ? { type: `xstate.done.actor.${work.invokeId}`, output: report.output, actorId: work.invokeId }
    : { type: `xstate.error.actor.${work.invokeId}`, error: report.error, actorId: work.invokeId };

/** The message of a cancelled command at its end. */
const lastWords = (work: Work, report: Report): { said?: string } =>
  isCancellable(work) && report.type === 'work.failed' ? { said: report.error.message } : {};

/** Reports `quiet` if the last operation of a stopping task run has ended. */
function quietCall(draft: Draft, call: number, words: { said?: string }): void {
  if (!worksOf(draft, call).some(takesTime)) tell(draft, callKey(call), { type: 'quiet', ...words });
}
