/**
 * Waits for a notification (southbound `POST /notification`), and gives its parameters as output: the node's next one, one
 * with `task=` and the label of this task, or the callback of this call. One that came before the wait began counts, the oldest
 * first. With `callbackOnly` it takes its callback alone.
 */
import { assign, setup } from 'xstate';
import { defineTask, notification, type TaskInput, Type } from '../engine/define/index.ts';

const optionsSchema = Type.Object(
  {
    callbackOnly: Type.Boolean({
      default: false,
      description: "Takes no other notification than this call's own callback, `{{ task.callback }}`.",
    }),
  },
  { additionalProperties: false },
);

interface Options {
  callbackOnly: boolean;
}

interface Context extends TaskInput<Options> {
  parameters?: Record<string, unknown>;
}

export default defineTask<typeof optionsSchema, Record<string, unknown>>({
  injectableName: 'Task.Wait.Notification',
  friendlyName: 'Wait for a notification',
  recovery: 'idempotent',
  optionsSchema,
  options: { callbackOnly: false },
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
          input: ({ context }) => ({ callbackOnly: context.options.callbackOnly }),
          onDone: { target: 'done', actions: assign({ parameters: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.parameters,
  }),
});
