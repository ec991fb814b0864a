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
 * `ended` of the holder frees the node and drops what mail is left. What was answered is known until the next one takes the
 * node: a client repeats what ended the workflow, too.
 *
 * What becomes of a notification while a workflow holds the node: `mailbox.ts`.
 */
import { assign, setup } from 'xstate';
import type { Publication } from '../define/event.ts';
import { emptyMailbox, type Mail, type Mailbox, sorted } from './mailbox.ts';
import type { NodeMessage, Seed } from './messages.ts';

export interface NodeContext extends Mailbox {
  workflow: string | null;
}

const free: NodeContext = { workflow: null, ...emptyMailbox };

const kit = setup({
  types: {} as { context: NodeContext; events: NodeMessage },
  actions: {
    /** Effects: carried out by the runtime after the step is saved. */
    create: (_, _params: { seed: Seed }) => {},
    hand: (_, _params: Mail) => {},
    announce: (_, _params: Publication) => {},
    tellCancel: (_, _params: { workflow: string }) => {},
    take: assign(({ event }) =>
      event.type === 'launch' ? { ...free, workflow: event.seed.id, since: event.seed.createdAt } : {},
    ),
    free: assign(({ context: { answers } }) => ({ ...free, answers })),
  },
  guards: {
    ofHolder: ({ context, event }) => 'workflow' in event && event.workflow === context.workflow,
  },
});

const sort = kit.enqueueActions(({ context, event, enqueue }) => {
  const { context: next, handed, announced } = sorted(context, event);
  enqueue.assign(next);
  if (announced !== undefined) enqueue({ type: 'announce', params: announced });
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
