/** The step of a node actor: its machine's pure transition, and the effects of its actions. */

import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Publication } from '../../vocabulary/event.ts';
import { isKnown, QUEUED_LIMIT, QUEUED_SIZE_LIMIT, type QueuedNotification } from '../actors/mailbox.ts';
import type { NodeMessage, StartCommand } from '../actors/messages.ts';
import { type NodeContext, nodeMachine } from '../actors/node.ts';
import type { Effect, PendingEffects, Snapshot, StepResult, StepRow } from './row.ts';
import { logicOf } from './stepper.ts';

/** The row of a node actor; its id is that of the node, or of a workflow without a node. */
export interface NodeRow extends StepRow {
  snapshot: Snapshot;
  /** The workflow that holds the node, or null; indexed, for broadcasts. */
  workflow: string | null;
  /** The node is decommissioned, or about to be. */
  retired: boolean;
}

export function newNodeRow(id: string, now: number): NodeRow {
  const updatedAt = new Date(now).toISOString();
  return {
    id,
    version: 1,
    snapshot: logicOf(nodeMachine).begin(undefined).snapshot,
    workflow: null,
    retired: false,
    pendingEffects: [],
    pending: false,
    updatedAt,
  };
}

export const nodeStep = (row: NodeRow, message: NodeMessage, now: number): StepResult<NodeRow> =>
  nodeStepOfAll(row, [message], now);

/** One step that takes messages, in their order. */
export function nodeStepOfAll(row: NodeRow, messages: readonly NodeMessage[], now: number): StepResult<NodeRow> {
  const effects: Effect[] = [];
  let after: Snapshot = row.snapshot;
  for (const message of messages) {
    const before = contextOf({ snapshot: after });
    if (message.type === 'notify' && !isKnown(before, message) && isFull(before, message.parameters))
      throw fullError(row.id);
    const next = logicOf(nodeMachine).next({ value: after.value, context: before }, message);
    effects.push(...next.actions.flatMap((action) => effectsOf(action)));
    after = next.snapshot;
  }
  const context = contextOf({ snapshot: after });
  const isMoved = !isSame(contextOf(row), context) || !isSame(row.snapshot.value, after.value);
  const changed = effects.length > 0 || isMoved;
  const version = row.version + 1;
  const at = new Date(now).toISOString();
  const own: PendingEffects = { version, at, last: 0, effects, lines: [], events: [] };
  const pendingEffects = effects.length > 0 ? [...row.pendingEffects, own] : row.pendingEffects;
  const next: NodeRow = {
    ...row,
    version,
    snapshot: after,
    workflow: context.workflow,
    retired: after.value === 'retired',
    pendingEffects,
    pending: pendingEffects.length > 0,
    updatedAt: at,
  };
  return { changed, row: next, replies: [] };
}

export const contextOf = ({ snapshot }: Pick<NodeRow, 'snapshot'>): NodeContext => snapshot.context as NodeContext;

/** Selects actors of nodes that were removed before `at`; every launch that still found such a node is over. */
export const retiredBefore = (at: string) => ({ retired: true, updatedAt: { $lt: at } });

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const isFull = ({ queued }: NodeContext, parameters: unknown): boolean =>
  queued.length >= QUEUED_LIMIT || JSON.stringify([queued, parameters]).length > QUEUED_SIZE_LIMIT;

const fullError = (id: string) =>
  new NodewrightError(
    'MAILBOX_FULL',
    `${id} has as many unreceived notifications as the mailbox holds (${QUEUED_LIMIT}, ${QUEUED_SIZE_LIMIT} characters); stop sending until its tasks have received them`,
  );

function effectsOf({ type, params }: { type: string; params?: unknown }): Effect[] {
  switch (type) {
    case 'create':
      return [{ kind: 'create', start: (params as { start: StartCommand }).start }];
    case 'deliver':
      return [deliveryEffect(params as QueuedNotification)];
    case 'announce':
      return [{ kind: 'publish', publication: params as Publication }];
    case 'sendCancel':
      return [cancelEffect(params as { workflow: string; by?: string })];
    default:
      return [];
  }
}

const cancelEffect = ({ workflow, by }: { workflow: string; by?: string }): Effect => ({
  kind: 'send-to-workflow',
  workflow,
  message: { type: 'cancel', ...(by !== undefined && { by }) },
});

function deliveryEffect({ id, parameters, claimedBy }: QueuedNotification): Effect {
  const [workflow = '', operation = ''] = (claimedBy ?? '').split('/');
  return {
    kind: 'send-to-workflow',
    workflow,
    message: { type: 'work.done', operation, output: parameters, notification: id },
  };
}

/** Returns the messages to one node that follow each other from an effect on. */
export function messagesFrom(effects: readonly Effect[], from: number): NodeMessage[] {
  const first = effects[from];
  const messages: NodeMessage[] = [];
  for (const effect of effects.slice(from)) {
    if (effect.kind !== 'send-to-node' || first?.kind !== 'send-to-node' || effect.node !== first.node) break;
    messages.push(effect.message);
  }
  return messages;
}
