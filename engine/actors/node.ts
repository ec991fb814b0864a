/**
 * The node actor: owns a node's one active workflow, its cancellation, and the notifications that arrive for it.
 * A workflow without a node has one of its own, under the workflow's id, as long as it lives.
 *
 * - **idle**: no workflow. `launch` takes the node. Notifications are nobody's and are not kept.
 * - **busy.running**: one workflow holds the node; another `launch` changes nothing.
 * - **busy.cancelling**: the holder was told to cancel and has not ended yet.
 * - **retired**: the node is removed; `launch` changes nothing. A busy node is not retired, so of a launch and a removal
 *   at once one wins.
 *
 * `ended` of the holder frees the node and drops what mail is left.
 *
 * Mail: a notification goes to the first waiter, or is kept, in order, for the first that comes. A mail that was
 * handed over stays here, marked with its taker, until the taker says what became of it (`release`): so handing it
 * over again after a crash gives the same mail to the same waiter, and one that its waiter could not take any more
 * goes to the next.
 */
import { assign, setup } from 'xstate';
import type { NodeMessage, Seed } from './messages.ts';

/** Mail kept for one workflow. More is refused: whoever sends that much is broken. */
export const MAIL_LIMIT = 1_000;
/** In characters of JSON, over all of them. */
export const MAIL_SIZE_LIMIT = 1024 * 1024;

export interface Mail {
  id: string;
  parameters: Record<string, unknown>;
  /** The waiter it was handed to. */
  taker: string | null;
}

export interface NodeContext {
  workflow: string | null;
  /** When it took the node (ISO 8601): an older notification is not for it. */
  since: string;
  /** Ids of the latest notifications: a broadcast that is sent again after a crash comes once. */
  seen: string[];
  mail: Mail[];
  /** `<workflow>/<work>`, in the order in which they began to wait. */
  waiters: string[];
}

const free: NodeContext = { workflow: null, since: '', seen: [], mail: [], waiters: [] };
const SEEN_LIMIT = 50;

/** Pairs mail that nobody took with waiters, oldest with oldest. */
function pair(context: NodeContext): { context: NodeContext; handed: Mail[] } {
  const waiters = [...context.waiters];
  const handed: Mail[] = [];
  const mail = context.mail.map((item) => {
    const taker = item.taker === null ? waiters.shift() : undefined;
    if (taker === undefined) return item;
    handed.push({ ...item, taker });
    return { ...item, taker };
  });
  return { context: { ...context, mail, waiters }, handed };
}

/** A waiter that already was handed a mail gets the same again; one that waits already waits on. */
function await_(context: NodeContext, waiter: string): { context: NodeContext; handed: Mail[] } {
  const again = context.mail.filter((item) => item.taker === waiter);
  if (again.length > 0) return { context, handed: again };
  if (context.waiters.includes(waiter)) return { context, handed: [] };
  return pair({ ...context, waiters: [...context.waiters, waiter] });
}

/** What the waiter took is gone; anything else that was handed to it is for the next one. */
function release(context: NodeContext, waiter: string, taken: string | undefined) {
  const mail = context.mail
    .filter((item) => item.id !== taken)
    .map((item) => (item.taker === waiter ? { ...item, taker: null } : item));
  return pair({ ...context, mail, waiters: context.waiters.filter((other) => other !== waiter) });
}

function notify(context: NodeContext, { id, at, parameters }: Extract<NodeMessage, { type: 'notify' }>) {
  if (context.seen.includes(id) || at < context.since) return { context, handed: [] };
  const seen = [...context.seen, id].slice(-SEEN_LIMIT);
  return pair({ ...context, seen, mail: [...context.mail, { id, parameters, taker: null }] });
}

/** A child on the same node has ended: it waits for nothing any more. */
function without(context: NodeContext, workflow: string) {
  const gone = context.waiters.filter((waiter) => waiter.startsWith(`${workflow}/`));
  return gone.reduce((state, waiter) => release(state.context, waiter, undefined), {
    context,
    handed: [] as Mail[],
  });
}

/** What the events do to the mail. Pure, so that the machine below only says when. */
export function mailed(context: NodeContext, message: NodeMessage): { context: NodeContext; handed: Mail[] } {
  switch (message.type) {
    case 'await':
      return await_(context, message.waiter);
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

const kit = setup({
  types: {} as { context: NodeContext; events: NodeMessage },
  actions: {
    /** Effects: carried out by the runtime after the step is saved. */
    create: (_, _params: { seed: Seed }) => {},
    hand: (_, _params: Mail) => {},
    tellCancel: (_, _params: { workflow: string }) => {},
    take: assign(({ event }) =>
      event.type === 'launch' ? { ...free, workflow: event.seed.id, since: event.seed.createdAt } : {},
    ),
    free: assign(free),
  },
  guards: {
    ofHolder: ({ context, event }) => 'workflow' in event && event.workflow === context.workflow,
  },
});

const sort = kit.enqueueActions(({ context, event, enqueue }) => {
  const { context: next, handed } = mailed(context, event);
  enqueue.assign(next);
  for (const mail of handed) enqueue({ type: 'hand', params: mail });
});

export const nodeMachine = kit.createMachine({
  id: 'node',
  context: free,
  initial: 'idle',
  states: {
    idle: {
      on: {
        launch: {
          target: 'busy',
          actions: ['take', { type: 'create', params: ({ event }) => ({ seed: event.seed }) }],
        },
        retire: 'retired',
      },
    },
    retired: {},
    busy: {
      initial: 'running',
      on: {
        notify: { actions: sort },
        await: { actions: sort },
        release: { actions: sort },
        ended: [{ guard: 'ofHolder', target: 'idle', actions: 'free' }, { actions: sort }],
      },
      states: {
        running: {
          on: {
            cancel: {
              guard: 'ofHolder',
              target: 'cancelling',
              actions: { type: 'tellCancel', params: ({ context }) => ({ workflow: context.workflow as string }) },
            },
          },
        },
        cancelling: {},
      },
    },
  },
});
