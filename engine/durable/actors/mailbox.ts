/**
 * The mailbox of a node: queued notifications, and the waits that receive them. Pure; `node.ts` defines when it is used.
 *
 * 1. A notification is delivered to the first wait that may receive it, or is queued, in order, for the first such
 *    wait. A notification without an address is for any wait, one with a label for waits of that label, a callback only
 *    for its own task run. A wait with `callbackOnly` receives only its callback, one with `broadcast: false` no broadcast.
 * 2. A delivered notification stays in the mailbox, claimed by its receiver, until the receiver reports on it
 *    (`release`). A repeated delivery after a crash therefore gives the same notification to the same wait, and a
 *    notification that its wait could no longer receive goes to the next wait.
 * 3. A notification with a known nonce changes nothing (`answers.ts`).
 */
import type { Publication } from '../../vocabulary/event.ts';
import { MIB } from '../../vocabulary/units.ts';
import { answerTo, type FirstAnswer, remember } from './answers.ts';
import type { NodeMessage, Receiver, TaskRunPlace } from './messages.ts';

/** Notifications queued for one workflow. More are rejected: a sender of that many is faulty. */
export const QUEUED_LIMIT = 1_000;
/** In characters of JSON, over all queued notifications. */
export const QUEUED_SIZE_LIMIT = MIB;
const SEEN_LIMIT = 50;
/** Queued broadcasts that no wait has received. More are dropped, to leave room for the node's own notifications. */
export const BROADCASTS_LIMIT = 100;

export interface QueuedNotification {
  id: string;
  parameters: Record<string, unknown>;
  /** The receiver that has claimed it. */
  claimedBy: string | null;
  /** The label that it is addressed to. */
  task?: string;
  /** The task run that it is addressed to: it is a callback. */
  taskRun?: TaskRunPlace;
  /** It was sent to all nodes. */
  broadcast?: true;
}

export interface Mailbox {
  /** When the workflow took the node (ISO 8601): older notifications are not for it. */
  since: string;
  /** Ids of the latest notifications: a broadcast that is repeated after a crash is queued once. */
  seen: string[];
  queued: QueuedNotification[];
  /** In the order in which they started to wait. */
  receivers: Receiver[];
  answers: FirstAnswer[];
}

export interface SortedMessage<Box> {
  context: Box;
  delivered: QueuedNotification[];
  announced?: Publication;
}

type Notify = Extract<NodeMessage, { type: 'notify' }>;

export const emptyMailbox: Mailbox = { since: '', seen: [], queued: [], receivers: [], answers: [] };

/** Names the wait of an operation of a workflow. */
export const receiverName = (workflow: string, operation: string): string => `${workflow}/${operation}`;

const belongsTo = (receiver: string, workflow: string): boolean => receiver.startsWith(`${workflow}/`);

function mayTake(wait: Receiver, { task, taskRun, broadcast }: QueuedNotification): boolean {
  const { receiver, label, visit, callbackOnly } = wait;
  if (taskRun !== undefined)
    return belongsTo(receiver, taskRun.workflow) && label === taskRun.label && visit === taskRun.visit;
  if (broadcast === true && wait.broadcast === false) return false;
  return callbackOnly !== true && (task === undefined || task === label);
}

/** Pairs unclaimed notifications with waits that may receive them, oldest with oldest. */
function pair<Box extends Mailbox>(context: Box): SortedMessage<Box> {
  const receivers = [...context.receivers];
  const delivered: QueuedNotification[] = [];
  const queued = context.queued.map((item) => {
    const at = item.claimedBy === null ? receivers.findIndex((receiver) => mayTake(receiver, item)) : -1;
    const [found] = at < 0 ? [] : receivers.splice(at, 1);
    if (found === undefined) return item;
    const taken = { ...item, claimedBy: found.receiver };
    delivered.push(taken);
    return taken;
  });
  return { context: { ...context, queued, receivers }, delivered };
}

/** A callback for an earlier visit of the label: its task run has ended, so no wait will receive it. */
const isStale = ({ claimedBy, taskRun }: QueuedNotification, { receiver, label, visit }: Receiver): boolean =>
  claimedBy === null &&
  taskRun !== undefined &&
  belongsTo(receiver, taskRun.workflow) &&
  taskRun.label === label &&
  taskRun.visit < visit;

/** A wait that already has a notification gets the same one again; a wait that is already registered changes nothing. */
function await_<Box extends Mailbox>(context: Box, wait: Receiver): SortedMessage<Box> {
  const again = context.queued.filter((item) => item.claimedBy === wait.receiver);
  if (again.length > 0) return { context, delivered: again };
  if (context.receivers.some(({ receiver }) => receiver === wait.receiver)) return { context, delivered: [] };
  const queued = context.queued.filter((item) => !isStale(item, wait));
  return pair({ ...context, queued, receivers: [...context.receivers, wait] });
}

/** Removes the notification that the wait received; any other that it had claimed is for the next wait. */
function release<Box extends Mailbox>(context: Box, receiver: string, taken: string | undefined): SortedMessage<Box> {
  const queued = context.queued
    .filter((item) => item.id !== taken)
    .map((item) => (item.claimedBy === receiver ? { ...item, claimedBy: null } : item));
  return pair({ ...context, queued, receivers: context.receivers.filter((other) => other.receiver !== receiver) });
}

const isQueuedBroadcast = ({ claimedBy, broadcast }: QueuedNotification): boolean =>
  broadcast === true && claimedBy === null;

/** Whether the notification was accepted before. */
export const isKnown = ({ seen, answers }: Mailbox, { id, nonce }: Notify): boolean =>
  seen.includes(id) || answerTo(answers, nonce) !== undefined;

function notify<Box extends Mailbox>(context: Box, message: Notify): SortedMessage<Box> {
  const { id, at, parameters, task, taskRun, broadcast, nonce, announced } = message;
  if (isKnown(context, message) || at < context.since) return { context, delivered: [] };
  if (broadcast === true && context.queued.filter(isQueuedBroadcast).length >= BROADCASTS_LIMIT) {
    return { context, delivered: [] };
  }
  const queued: QueuedNotification = {
    id,
    parameters,
    claimedBy: null,
    ...(task !== undefined && { task }),
    ...(taskRun && { taskRun }),
    ...(broadcast === true && { broadcast }),
  };
  const sorted = pair({
    ...context,
    seen: [...context.seen, id].slice(-SEEN_LIMIT),
    answers: nonce === undefined ? context.answers : remember(context.answers, { nonce, id, body: parameters }),
    queued: [...context.queued, queued],
  });
  return announced === undefined ? sorted : { ...sorted, announced };
}

/** Removes the waits and callbacks of a child workflow on the same node that has ended. */
function without<Box extends Mailbox>(context: Box, workflow: string): SortedMessage<Box> {
  const queued = context.queued.filter(
    ({ claimedBy, taskRun }) => claimedBy !== null || taskRun?.workflow !== workflow,
  );
  const gone = context.receivers.filter(({ receiver }) => belongsTo(receiver, workflow));
  const none: QueuedNotification[] = [];
  return gone.reduce((state, { receiver }) => release(state.context, receiver, undefined), {
    context: queued.length === context.queued.length ? context : { ...context, queued },
    delivered: none,
  } as SortedMessage<Box>);
}

/** Applies a message to the mailbox. */
export function sortMessage<Box extends Mailbox>(context: Box, message: NodeMessage): SortedMessage<Box> {
  switch (message.type) {
    case 'await': {
      const { type: _, ...wait } = message;
      return await_(context, wait);
    }
    case 'release':
      return release(context, message.receiver, message.notification);
    case 'notify':
      return notify(context, message);
    case 'ended':
      return without(context, message.workflow);
    default:
      return { context, delivered: [] };
  }
}
