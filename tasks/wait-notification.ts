/**
 * Waits for the node's next notification (southbound `POST /notification`), and gives its parameters as output. One
 * that came before the wait began counts, the oldest first.
 */
import { assign, setup } from 'xstate';
import { defineTask, notification, type TaskInput, Type } from '../engine/define/index.ts';

const optionsSchema = Type.Object({}, { additionalProperties: false });

interface Context extends TaskInput<object> {
  parameters?: Record<string, unknown>;
}

export default defineTask<typeof optionsSchema, Record<string, unknown>>({
  injectableName: 'Task.Wait.Notification',
  friendlyName: 'Wait for a notification',
  recovery: 'idempotent',
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<object> },
    actors: { notification },
  }).createMachine({
    id: 'Task.Wait.Notification',
    context: ({ input }) => input,
    initial: 'waiting',
    states: {
      waiting: {
        invoke: {
          src: 'notification',
          onDone: { target: 'done', actions: assign({ parameters: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.parameters,
  }),
});
