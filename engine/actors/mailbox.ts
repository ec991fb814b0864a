/**
 * The mailbox of a node: queued notifications, and the waits that receive them. Pure; `node.ts` defines when it is used.
 *
 * 1. A notification is delivered to the first wait that may receive it, or is queued, in order, for the first such
 *    wait. A notification without an address is for any wait, one with a label for waits of that label, a callback only
 *    for its own task run. A wait with `callbackOnly` receives only its callback.
 * 2. A delivered notification stays in the mailbox, claimed by its receiver, until the receiver reports on it
 *    (`release`). A repeated delivery after a crash therefore gives the same notification to the same wait, and a
 *    notification that its wait could no longer receive goes to the next wait.
 * 3. A notification with a known nonce changes nothing (`answers.ts`).
 */
import type { Publication } from '../define/event.ts';
import { answerTo, type FirstAnswer, remember } from './answers.ts';
import type { NodeMessage, Place, Waiter } from './messages.ts';

/** Notifications queued for one workflow. More are rejected: a sender of that many is faulty. */
export const MAIL_LIMIT = 1_000;
/** In characters of JSON, over all queued notifications. */
export const MAIL_SIZE_LIMIT = 1024 * 1024;
const SEEN_LIMIT = 50;

export interface Mail {
  id: string;
  parameters: Record<string, unknown>;
  /** The receiver that has claimed it. */
  taker: string | null;
  /** The label that it is addressed to. */
  task?: string;
  /** The task run that it is addressed to: it is a callback. */
  taskRun?: Place;
}

export interface Mailbox {
  /** When the workflow took the node (ISO 8601): older notifications are not for it. */
  since: string;
  /** Ids of the latest notifications: a broadcast that is repeated after a crash is queued once. */
  seen: string[];
  mail: Mail[];
  /** In the order in which they started to wait. */
  waiters: Waiter[];
  answers: FirstAnswer[];
}

export interface Sorted<Box> {
  context: Box;
  handed: Mail[];
  announced?: Publication;
}

type Notify = Extract<NodeMessage, { type: 'notify' }>;

export const emptyMailbox: Mailbox = { since: '', seen: [], mail: [], waiters: [], answers: [] };

const belongsTo = (waiter: string, workflow: string): boolean => waiter.startsWith(`${workflow}/`);

function mayTake({ waiter, label, visit, callbackOnly }: Waiter, { task, taskRun }: Mail): boolean {
  if (taskRun !== undefined)
    return belongsTo(waiter, taskRun.workflow) && label === taskRun.label && visit === taskRun.visit;
  return callbackOnly !== true && (task === undefined || task === label);
}

/** Pairs unclaimed notifications with waits that may receive them, oldest with oldest. */
function pair<Box extends Mailbox>(context: Box): Sorted<Box> {
  const waiters = [...context.waiters];
  const handed: Mail[] = [];
  const mail = context.mail.map((item) => {
    const at = item.taker === null ? waiters.findIndex((waiter) => mayTake(waiter, item)) : -1;
    const [found] = at < 0 ? [] : waiters.splice(at, 1);
    if (found === undefined) return item;
    const taken = { ...item, taker: found.waiter };
    handed.push(taken);
    return taken;
  });
  return { context: { ...context, mail, waiters }, handed };
}

/** A callback for an earlier visit of the label: its task run has ended, so no wait will receive it. */
const isStale = ({ taker, taskRun }: Mail, { waiter, label, visit = 0 }: Waiter): boolean =>
  taker === null &&
  taskRun !== undefined &&
  belongsTo(waiter, taskRun.workflow) &&
  taskRun.label === label &&
  taskRun.visit < visit;

/** A wait that already has a notification gets the same one again; a wait that is already registered changes nothing. */
function await_<Box extends Mailbox>(context: Box, wait: Waiter): Sorted<Box> {
  const again = context.mail.filter((item) => item.taker === wait.waiter);
  if (again.length > 0) return { context, handed: again };
  if (context.waiters.some(({ waiter }) => waiter === wait.waiter)) return { context, handed: [] };
  const mail = context.mail.filter((item) => !isStale(item, wait));
  return pair({ ...context, mail, waiters: [...context.waiters, wait] });
}

/** Removes the notification that the wait received; any other that it had claimed is for the next wait. */
function release<Box extends Mailbox>(context: Box, waiter: string, taken: string | undefined): Sorted<Box> {
  const mail = context.mail
    .filter((item) => item.id !== taken)
    .map((item) => (item.taker === waiter ? { ...item, taker: null } : item));
  return pair({ ...context, mail, waiters: context.waiters.filter((other) => other.waiter !== waiter) });
}

/** Whether the notification was accepted before. */
export const isKnown = ({ seen, answers }: Mailbox, { id, nonce }: Notify): boolean =>
  seen.includes(id) || answerTo(answers, nonce) !== undefined;

function notify<Box extends Mailbox>(context: Box, message: Notify): Sorted<Box> {
  const { id, at, parameters, task, taskRun, nonce, open = [], announced } = message;
  if (isKnown(context, message) || at < context.since) return { context, handed: [] };
  const mail: Mail = { id, parameters, taker: null, ...(task !== undefined && { task }), ...(taskRun && { taskRun }) };
  const sorted = pair({
    ...context,
    seen: [...context.seen, id].slice(-SEEN_LIMIT),
    answers: nonce === undefined ? context.answers : remember(context.answers, { nonce, id, body: parameters }),
    mail: [...context.mail, mail],
    waiters: context.waiters.map((known) => named(known, open)),
  });
  return announced === undefined ? sorted : { ...sorted, announced };
}

/** Adds the label to a wait that was stored by an earlier version without it. */
const named = (known: Waiter, open: readonly Waiter[]): Waiter =>
  known.label === undefined ? (open.find(({ waiter }) => waiter === known.waiter) ?? known) : known;

/** Removes the waits and callbacks of a child workflow on the same node that has ended. */
function without<Box extends Mailbox>(context: Box, workflow: string): Sorted<Box> {
  const mail = context.mail.filter(({ taker, taskRun }) => taker !== null || taskRun?.workflow !== workflow);
  const gone = context.waiters.filter(({ waiter }) => belongsTo(waiter, workflow));
  const none: Mail[] = [];
  return gone.reduce((state, { waiter }) => release(state.context, waiter, undefined), {
    context: mail.length === context.mail.length ? context : { ...context, mail },
    handed: none,
  } as Sorted<Box>);
}

/** Applies a message to the mailbox. */
export function sorted<Box extends Mailbox>(context: Box, message: NodeMessage): Sorted<Box> {
  switch (message.type) {
    case 'await': {
      const { type: _, ...wait } = message;
      return await_(context, wait);
    }
    case 'release':
      return release(context, message.waiter, message.mail);
    case 'notify':
      return notify(context, message);
    case 'ended':
      return without(context, message.workflow);
    default:
      return { context, handed: [] };
  }
}
