/**
 * Waits for a notification (southbound `POST /notification`) and returns its parameters as output: the node's next one,
 * one with `task=` and the label of this task, or the callback of this task run. Notifications that arrived before the
 * wait are taken first, oldest first. With `callbackOnly` only the callback completes it, with `broadcast: false` no broadcast
 * does.
 */
import { defineTask, notification, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';

const optionsSchema = Type.Object(
  {
    callbackOnly: Type.Boolean({
      default: false,
      description: 'Only the callback of this task run, `{{ task.callback }}`, completes the wait.',
    }),
    broadcast: Type.Boolean({
      default: true,
      description: 'A broadcast, which is sent to all nodes, completes the wait too.',
    }),
  },
  { additionalProperties: false },
);

interface Options {
  callbackOnly: boolean;
  broadcast: boolean;
}

interface Context extends TaskInput<Options> {
  parameters?: Record<string, unknown>;
}

export default defineTask<typeof optionsSchema, Record<string, unknown>>({
  injectableName: 'Task.Wait.Notification',
  friendlyName: 'Wait for a notification',
  recovery: 'idempotent',
  optionsSchema,
  options: { callbackOnly: false, broadcast: true },
  machine: setup({
    types: {} as { context: Context; input: TaskInput<Options> },
    actors: { notification },
  }).createMachine({
    id: 'Task.Wait.Notification',
    context: ({ input }) => input,
    initial: 'waiting',
    states: {
      waiting: {
        invoke: {
          src: 'notification',
          input: ({ context: { options } }) => ({ callbackOnly: options.callbackOnly, broadcast: options.broadcast }),
          onDone: { target: 'done', actions: assign({ parameters: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.parameters,
  }),
});
