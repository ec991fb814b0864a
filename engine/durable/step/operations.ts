/**
 * Operations: opened for a task's machine, stopped when the machine leaves them, closed when their end is reported.
 *
 * 1. An operation is opened by a step and started only after the step is saved.
 * 2. A stopped activity or child workflow stays open, `aborting`, until its end is reported, because only then is the
 *    hardware idle. The same applies to a command that an agent has or has to be notified of. A wait is closed
 *    immediately.
 * 3. A report for an operation that is not open is late or a repeat; it changes nothing.
 */

import type { Command, ReleaseInput } from '../../define/command.ts';
import { type ChildGraphInput, type OperationKind, operationKind } from '../../define/operation.ts';
import { withoutTemplates } from '../../library/options/templates.ts';
import type { FlatError } from '../../vocabulary/errors.ts';
import { objectIn, property } from '../../vocabulary/json.ts';
import { savedJson } from '../../vocabulary/saved-json.ts';
import { receiverName } from '../actors/mailbox.ts';
import type { WorkflowMessage } from '../actors/messages.ts';
import { type StepBuilder, send, taskKey, taskRunKey, taskRunNumber } from './builder.ts';
import { receiverOf } from './callbacks.ts';
import { noteLate } from './compensations.ts';
import type { Spawn } from './interpret.ts';
import type { ActivityOperation, CommandOperation, Effect, Operation, WorkflowRow } from './row.ts';
import { noteCarriedOut, settleSent } from './sent.ts';

export type OperationReport =
  | { type: 'work.done'; operation: string; output: unknown; notification?: string }
  | { type: 'work.failed'; operation: string; error: FlatError };

const TAKEN_LIMIT = 100;

export const openActivities = (row: WorkflowRow): ActivityOperation[] =>
  Object.values(row.operations).filter((operation) => operation.kind === 'activity');

/** Activities, child workflows and delivered or cancellable commands take time to stop; waits do not. */
export const takesTime = (operation: Operation): boolean =>
  operation.kind === 'activity' ||
  operation.kind === 'graph' ||
  (operation.kind === 'command' && (operation.claim !== undefined || isCancellable(operation)));

/** A command that can be notified of a cancel while it runs. */
export const isCancellable = (operation: Operation): boolean =>
  operation.kind === 'command' && operation.input?.cancellable === true;

export function openOperation(builder: StepBuilder, key: string, logic: unknown, { id, src, input }: Spawn): void {
  const taskRun = taskRunNumber(key);
  const kind = operationKind(logic);
  if (kind === undefined)
    throw new Error(`${src} is not an operation: expected an activity, notification, childGraph, command or release`);
  builder.row.counts.operations += 1;
  const opened = {
    id: `w${builder.row.counts.operations}`,
    taskRun,
    invokeId: id,
    src,
    attempt: attemptOf(builder, taskRun),
  };
  builder.operations.set(
    opened.id,
    beginOperation(builder, kind, opened, savedJson(input ?? null, `the input of ${src}`)),
  );
  builder.touched.add(taskRun);
}

/** Requests the start, and adds the fields that the kind needs. @param input as the authoring kit types it for the kind */
function beginOperation(
  builder: StepBuilder,
  kind: OperationKind,
  opened: Omit<CommandOperation, 'kind' | 'input'>,
  input: unknown,
): Operation {
  switch (kind) {
    case 'activity':
      return { kind, input, chain: chainOf(builder, opened.id), ...opened };
    case 'graph': {
      const child = builder.env.uuid();
      const operation = {
        kind,
        input: childInput(builder, opened.taskRun, input as ChildGraphInput),
        child,
        ...opened,
      };
      builder.effects.push({ kind: 'launch', operation: opened.id, child, input: operation.input });
      return operation;
    }
    case 'notification': {
      const operation = { kind, input, ...opened };
      const message = { type: 'await', ...receiverOf(builder.row, operation) } as const;
      builder.effects.push({ kind: 'send-to-node', node: builder.row.mailboxId, message });
      return operation;
    }
    case 'command':
      builder.effects.push({ kind: 'notify-agent', operation: opened.id });
      return { kind, input: input as Command, ...pauseOf(builder, input as Command), ...opened };
    case 'release':
      return { kind, input: input as ReleaseInput, ...opened };
  }
}

/** A task that declares the options of its child among its own has rendered them, so they are data; those of a SKU are not. */
function childInput({ graph, row }: StepBuilder, taskRun: number, input: ChildGraphInput): ChildGraphInput {
  const { label = '' } = row.actors[taskRunKey(taskRun)] ?? {};
  const isRendered = typeof graph.labels.get(label)?.task.runs === 'object';
  return isRendered ? { ...input, options: withoutTemplates(input.options) } : input;
}

const pauseOf = ({ env }: StepBuilder, { pauseSec = 0 }: Command): Pick<CommandOperation, 'pausedUntil'> =>
  pauseSec > 0 ? { pausedUntil: env.now + pauseSec * 1_000 } : {};

/** The worker that reported the last end runs the next activity; further ones get a new queue job each. */
function chainOf(builder: StepBuilder, operation: string): string {
  if (builder.chain !== undefined) {
    const { chain } = builder;
    builder.chain = undefined;
    return chain;
  }
  const { home } = builder.env;
  const chain = `${builder.row.id}-${operation}${home === undefined ? '' : `@${home}`}`;
  builder.effects.push({ kind: 'work', chain });
  return chain;
}

const receiver = (builder: StepBuilder, operation: string): string => receiverName(builder.row.id, operation);

function attemptOf(builder: StepBuilder, taskRun: number): number {
  const attempt = property(builder.row.actors[taskRunKey(taskRun)]?.snapshot.context, 'attempt');
  return typeof attempt === 'number' ? attempt : 1;
}

export function stopOperation(builder: StepBuilder, operation: Operation): void {
  builder.touched.add(operation.taskRun);
  if (!takesTime(operation)) {
    builder.operations.delete(operation.id);
    if (operation.kind === 'notification')
      sendToNode(builder, { type: 'release', receiver: receiver(builder, operation.id) });
    return;
  }
  builder.operations.set(operation.id, { ...operation, aborting: true });
  // The engine cannot stop a command on an agent and waits for its end. A cancellable one is notified through the agent.
  if (operation.kind === 'command') {
    if (operation.claim === undefined) builder.effects.push({ kind: 'notify-agent', operation: operation.id });
    return;
  }
  if (operation.kind === 'graph') {
    builder.effects.push({ kind: 'send-to-workflow', workflow: operation.child, message: { type: 'cancel' } });
  } else if (operation.kind === 'activity') {
    builder.effects.push({ kind: 'abort', operation: operation.id, chain: operation.chain });
  }
}

const sendToNode = (
  builder: StepBuilder,
  message: { type: 'release'; receiver: string; notification?: string },
): void => {
  builder.effects.push({ kind: 'send-to-node', node: builder.row.mailboxId, message });
};

/** @returns false if the operation is not open: the report is late or a repeat */
export function closeOperation(builder: StepBuilder, report: OperationReport): boolean {
  const operation = builder.row.operations[report.operation];
  const notification = report.type === 'work.done' ? report.notification : undefined;
  const { overflow } = builder.env;
  if (operation === undefined) {
    builder.effects.push(...lateNotification(builder.row, report));
    return false;
  }
  builder.operations.delete(operation.id);
  builder.touched.add(operation.taskRun);
  if (report.type === 'work.done') {
    settleSent(builder, operation);
    keepBoot(builder, operation);
    noteCarriedOut(builder, operation);
    // Without its output it counts as done, too: what it did is undone.
    if (operation.aborting || overflow !== undefined) noteLate(builder, operation, overflow ? null : report.output);
  }
  if (notification !== undefined) {
    remember(builder, operation.id, notification);
    sendToNode(builder, { type: 'release', receiver: receiver(builder, operation.id), notification });
  }
  if (operation.aborting) quietTaskRun(builder, operation.taskRun, lastWords(operation, report));
  else {
    const error = report.type === 'work.done' ? overflow : undefined;
    const end = error === undefined ? report : { type: 'work.failed' as const, operation: operation.id, error };
    send(builder, taskKey(operation.taskRun), ending(operation, end));
  }
  return true;
}

/** The node may boot again while later tasks need its agent. */
function keepBoot({ row }: StepBuilder, { kind, input, taskRun, aborting }: Operation): void {
  if (kind !== 'release' || input.boot === undefined || aborting) return;
  const variables = { ...objectIn(row.actors[taskRunKey(taskRun)]?.options), ...input.boot.variables };
  row.booted = { ...input.boot, variables };
}

/** Deliveries are repeated only within a short time, so the oldest entry may be dropped. */
function remember({ row }: StepBuilder, operation: string, notification: string): void {
  const all = Object.entries({ ...row.taken, [operation]: notification });
  row.taken = Object.fromEntries(all.slice(-TAKEN_LIMIT));
}

/**
 * The answer to a notification for an ended wait: confirms it if the wait received it, else frees it for the next wait.
 */
export function lateNotification({ id, mailboxId, taken }: WorkflowRow, report: WorkflowMessage): Effect[] {
  if (report.type !== 'work.done' || report.notification === undefined) return [];
  const took = taken[report.operation] === report.notification ? { notification: report.notification } : {};
  return [
    {
      kind: 'send-to-node',
      node: mailboxId,
      message: { type: 'release', receiver: receiverName(id, report.operation), ...took },
    },
  ];
}

const ending = (operation: Operation, report: OperationReport) =>
  report.type === 'work.done'
    ? { type: `xstate.done.actor.${operation.invokeId}`, output: report.output, actorId: operation.invokeId }
    : { type: `xstate.error.actor.${operation.invokeId}`, error: report.error, actorId: operation.invokeId };

/** The message of a cancelled command at its end. */
const lastWords = (operation: Operation, report: OperationReport): { said?: string } =>
  isCancellable(operation) && report.type === 'work.failed' ? { said: report.error.message } : {};

/** Reports `quiet` if the last operation of a stopping task run has ended. */
function quietTaskRun(builder: StepBuilder, taskRun: number, words: { said?: string }): void {
  if (!builder.operations.of(taskRun).some(takesTime)) send(builder, taskRunKey(taskRun), { type: 'quiet', ...words });
}
