/**
 * Waits until the installed system reports that it has booted, by the callback of this task run. In the meantime a node that boots
 * over the network boots its disk.
 *
 * Output: the parameters of the callback.
 */
import { defineTask, localBoot, notification, release, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';

const name = 'Task.Os.Boot.Wait';
const optionsSchema = Type.Object(
  { callbackOnly: Type.Boolean({ description: 'Only the callback of this task run completes the wait.' }) },
  { additionalProperties: false },
);

interface Context extends TaskInput<{ callbackOnly: boolean }> {
  report?: Record<string, unknown>;
}

export default defineTask<typeof optionsSchema, Record<string, unknown>>({
  injectableName: name,
  friendlyName: 'Wait for the first boot',
  // It only waits.
  recovery: 'idempotent',
  optionsSchema,
  options: { callbackOnly: false },
  machine: setup({
    types: {} as { context: Context; input: TaskInput<{ callbackOnly: boolean }> },
    actors: { notification, release },
  }).createMachine({
    id: name,
    context: ({ input }) => input,
    initial: 'booting',
    states: {
      booting: {
        type: 'parallel',
        states: {
          serving: { invoke: { src: 'release', input: () => ({ group: 'booted', boot: localBoot }) } },
          listening: {
            invoke: {
              src: 'notification',
              input: ({ context }) => ({ callbackOnly: context.options.callbackOnly, broadcast: false }),
              onDone: { target: '#booted', actions: assign({ report: ({ event }) => event.output }) },
            },
          },
        },
      },
      booted: { id: 'booted', type: 'final' },
    },
    output: ({ context }) => context.report,
  }),
});
