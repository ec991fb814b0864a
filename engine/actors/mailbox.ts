/**
 * The mailbox of a node: notifications that have come, and waits that take them. Pure; `node.ts` says when.
 *
 * 1. A notification goes to the first wait that may take it, or is kept, in order, for the first that comes. A bare one is for
 *    any wait, one with a label for waits of that label, a callback for its own call alone. A wait with `callbackOnly` takes
 *    nothing but its callback.
 * 2. A notification that was handed over stays here, marked with its taker, until the taker reports on it (`release`). So
 *    handing it over again after a crash gives the same one to the same wait, and one that its wait could not take any more
 *    goes to the next.
 * 3. A notification whose nonce is known changes nothing (`answers.ts`).
 */
import type { Publication } from '../define/event.ts';
import { answerTo, type FirstAnswer, remember } from './answers.ts';
import type { NodeMessage, Place, Waiter } from './messages.ts';

/** Mail kept for one workflow. More is refused: whoever sends that much is broken. */
export const MAIL_LIMIT = 1_000;
/** In characters of JSON, over all of them. */
export const MAIL_SIZE_LIMIT = 1024 * 1024;
const SEEN_LIMIT = 50;

export interface Mail {
  id: string;
  parameters: Record<string, unknown>;
  /** The waiter it was handed to. */
  taker: string | null;
  /** The label that it is for. */
  task?: string;
  /** The call that it is for: it is a callback. */
  call?: Place;
}

export interface Mailbox {
  /** When the workflow took the node (ISO 8601): an older notification is not for it. */
  since: string;
  /** Ids of the latest notifications: a broadcast that is sent again after a crash comes once. */
  seen: string[];
  mail: Mail[];
  /** In the order in which they began to wait. */
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

function mayTake({ waiter, label, visit, callbackOnly }: Waiter, { task, call }: Mail): boolean {
  if (call !== undefined) return belongsTo(waiter, call.workflow) && label === call.label && visit === call.visit;
  return callbackOnly !== true && (task === undefined || task === label);
}

/** Pairs mail that no wait has with waits that may take it, oldest with oldest. */
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

/** A callback for an earlier visit of the label: its call has ended, so nothing will take it. */
const isStale = ({ taker, call }: Mail, { waiter, label, visit = 0 }: Waiter): boolean =>
  taker === null &&
  call !== undefined &&
  belongsTo(waiter, call.workflow) &&
  call.label === label &&
  call.visit < visit;

/** A wait that was handed a mail gets the same again; one that waits already waits on. */
function await_<Box extends Mailbox>(context: Box, wait: Waiter): Sorted<Box> {
  const again = context.mail.filter((item) => item.taker === wait.waiter);
  if (again.length > 0) return { context, handed: again };
  if (context.waiters.some(({ waiter }) => waiter === wait.waiter)) return { context, handed: [] };
  const mail = context.mail.filter((item) => !isStale(item, wait));
  return pair({ ...context, mail, waiters: [...context.waiters, wait] });
}

/** Removes the mail that the wait took; anything else that was handed to it is for the next one. */
function release<Box extends Mailbox>(context: Box, waiter: string, taken: string | undefined): Sorted<Box> {
  const mail = context.mail
    .filter((item) => item.id !== taken)
    .map((item) => (item.taker === waiter ? { ...item, taker: null } : item));
  return pair({ ...context, mail, waiters: context.waiters.filter((other) => other.waiter !== waiter) });
}

/** Whether the notification was taken before. */
export const isKnown = ({ seen, answers }: Mailbox, { id, nonce }: Notify): boolean =>
  seen.includes(id) || answerTo(answers, nonce) !== undefined;

function notify<Box extends Mailbox>(context: Box, message: Notify): Sorted<Box> {
  const { id, at, parameters, task, call, nonce, open = [], announced } = message;
  if (isKnown(context, message) || at < context.since) return { context, handed: [] };
  const mail: Mail = { id, parameters, taker: null, ...(task !== undefined && { task }), ...(call && { call }) };
  const sorted = pair({
    ...context,
    seen: [...context.seen, id].slice(-SEEN_LIMIT),
    answers: nonce === undefined ? context.answers : remember(context.answers, { nonce, id, body: parameters }),
    mail: [...context.mail, mail],
    waiters: context.waiters.map((known) => named(known, open)),
  });
  return announced === undefined ? sorted : { ...sorted, announced };
}

/** A wait that an earlier version began does not say of which label it is. */
const named = (known: Waiter, open: readonly Waiter[]): Waiter =>
  known.label === undefined ? (open.find(({ waiter }) => waiter === known.waiter) ?? known) : known;

/** A child on the same node has ended: it waits for nothing any more, and its callbacks are for no call. */
function without<Box extends Mailbox>(context: Box, workflow: string): Sorted<Box> {
  const mail = context.mail.filter(({ taker, call }) => taker !== null || call?.workflow !== workflow);
  const gone = context.waiters.filter(({ waiter }) => belongsTo(waiter, workflow));
  const none: Mail[] = [];
  return gone.reduce((state, { waiter }) => release(state.context, waiter, undefined), {
    context: mail.length === context.mail.length ? context : { ...context, mail },
    handed: none,
  } as Sorted<Box>);
}

/** What a message does to the mail. */
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
