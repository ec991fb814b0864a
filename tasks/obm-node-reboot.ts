/**
 * Switches the node off and on again, in any initial state. Each half is saved when its BMC confirms it, so a daemon
 * that dies in between leaves no node switched off. Unwritten data of the operating system is lost, unless `force` is
 * false.
 *
 * Output: `{ power: "on" }`.
 */
import {
  activity,
  bmcRetry,
  defineTask,
  needsObm,
  type OverriddenInterlock,
  offOptions,
  type PowerInput,
  probePower,
  switchPower,
  type TaskInput,
  Type,
} from 'nodewright/define';
import { assign, setup } from 'xstate';

const name = 'Task.Obm.Node.Reboot';
const optionsSchema = Type.Object(offOptions, { additionalProperties: false });

type Input = TaskInput<Omit<PowerInput, 'to'>>;

interface Context extends Input {
  overridden: OverriddenInterlock | null;
}

export default defineTask<typeof optionsSchema, { power: 'on' }>({
  injectableName: name,
  friendlyName: 'Reboot',
  // The command of each half is sent once; later attempts query the BMC.
  recovery: 'once',
  retry: bmcRetry,
  needs: needsObm,
  power: 'cycle',
  optionsSchema,
  options: { force: true },
  machine: setup({
    types: {} as { context: Context; input: Input },
    actors: { switchPower: activity(switchPower) },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, overridden: null }),
    initial: 'stopping',
    states: {
      stopping: {
        invoke: {
          src: 'switchPower',
          input: ({ context }) => ({ ...context.options, to: 'off' }),
          // The record shows the interlocks that the first half overrode.
          onDone: {
            target: 'starting',
            actions: assign({ overridden: ({ event }) => event.output.overridden ?? null }),
          },
        },
      },
      starting: {
        invoke: { src: 'switchPower', input: ({ context }) => ({ ...context.options, to: 'on' }), onDone: 'done' },
      },
      done: { type: 'final' },
    },
    output: ({ context: { overridden } }) => ({ power: 'on', ...(overridden !== null && { overridden }) }),
  }),
  probe: probePower,
});
