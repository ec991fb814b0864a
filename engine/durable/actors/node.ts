/**
 * The node actor: owns a node's one active workflow, its cancellation, and the notifications for it. A workflow without
 * a node has its own actor, under the workflow's id, as long as the workflow lives.
 *
 * - **idle**: no workflow. `launch` takes the node, unless it has a hold mark that the launch does not name. Notifications have no receiver and are not queued.
 * - **busy.running**: one workflow holds the node; another `launch` changes nothing.
 * - **busy.cancelling**: a cancel was sent to the holder, which has not ended yet.
 * - **retired**: the node is decommissioned; `launch` changes nothing. A busy node cannot be decommissioned, so of a
 *   concurrent launch and removal only one succeeds.
 *
 * A **hold mark** says that the node has, or had, holds: documents beside the actor (`inventory/holds/`). It is set when a hold
 * is added, before that is answered, so that every later launch of any process is refused until it has read the holds. A
 * launch without holds costs nothing: the mark is part of what the claim compares anyway.
 *
 * `ended` of the holder frees the node and drops the queued notifications. The answers are kept until the next workflow
 * takes the node, because a client may also repeat the notification that ended the workflow.
 *
 * How notifications are handled while a workflow holds the node: `mailbox.ts`.
 */
import { assign, setup } from 'xstate';
import type { Publication } from '../../vocabulary/event.ts';
import { emptyMailbox, type Mailbox, type QueuedNotification, sortMessage } from './mailbox.ts';
import type { NodeMessage, StartCommand } from './messages.ts';

export interface NodeContext extends Mailbox {
  workflow: string | null;
  /** Absent or null: none. Each hold sets another one. */
  holdMark?: string | null;
}

const free: NodeContext = { workflow: null, ...emptyMailbox };

const withoutMark = ({ seen }: Extract<NodeMessage, { type: 'launch' }>): Pick<NodeContext, 'holdMark'> =>
  seen?.areGone ? { holdMark: null } : {};

const kit = setup({
  types: {} as { context: NodeContext; events: NodeMessage },
  actions: {
    /** Effects: run by the runtime after the step is saved. */
    create: (_, _params: { start: StartCommand }) => {},
    deliver: (_, _params: QueuedNotification) => {},
    announce: (_, _params: Publication) => {},
    sendCancel: (_, _params: { workflow: string; by?: string }) => {},
    take: assign(({ event }) =>
      event.type === 'launch'
        ? { ...free, ...withoutMark(event), workflow: event.start.id, since: event.start.createdAt }
        : {},
    ),
    noteHold: assign(({ event }) => (event.type === 'hold' ? { holdMark: event.mark } : {})),
    free: assign(({ context: { answers } }) => ({ ...free, answers })),
  },
  guards: {
    isAdmitted: ({ context: { holdMark = null }, event }) =>
      holdMark === null || (event.type === 'launch' && event.seen?.mark === holdMark),
    ofHolder: ({ context, event }) => 'workflow' in event && event.workflow === context.workflow,
  },
});

const sort = kit.enqueueActions(({ context, event, enqueue }) => {
  const { context: next, delivered, announced } = sortMessage(context, event);
  enqueue.assign(next);
  if (announced !== undefined) enqueue({ type: 'announce', params: announced });
  for (const queued of delivered) enqueue({ type: 'deliver', params: queued });
});

export const nodeMachine = kit.createMachine({
  id: 'node',
  context: free,
  initial: 'idle',
  on: { hold: { actions: 'noteHold' } },
  states: {
    idle: {
      on: {
        launch: {
          guard: 'isAdmitted',
          target: 'busy',
          actions: ['take', { type: 'create', params: ({ event }) => ({ start: event.start }) }],
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
              actions: {
                type: 'sendCancel',
                params: ({ event: { workflow, by } }) => ({ workflow, ...(by !== undefined && { by }) }),
              },
            },
          },
        },
        cancelling: {},
      },
    },
  },
});
