/**
 * Finds out what a layout of RAID volumes would change on the node, through the agent, by storcli64, perccli64 or mdadm. It changes
 * nothing, and assembles no arrays.
 *
 * Output: `{ changes, kept }`, as `Task.Raid.Plan`.
 */
import { command, defineTask, type TaskInput, Type } from 'nodewright/define';
import { assign, setup } from 'xstate';
import { type InBandOptions, type InBandPlan, planInBand } from '../engine/hardware/raid/in-band-activities.ts';
import { toolOption } from '../engine/hardware/raid/in-band-options.ts';
import { raidLook } from '../engine/hardware/raid/raid-commands.ts';
import { layoutOptions, layoutViolations } from '../engine/hardware/raid/raid-layout.ts';

const name = 'Task.Raid.Plan.InBand';
const optionsSchema = Type.Object({ ...layoutOptions, ...toolOption }, { additionalProperties: false });

interface Context extends TaskInput<InBandOptions> {
  stdout: string;
  plan: InBandPlan | null;
}

export default defineTask<typeof optionsSchema, InBandPlan>({
  injectableName: name,
  friendlyName: 'Plan RAID volumes in band',
  // It only reads.
  recovery: 'idempotent',
  optionsSchema,
  machine: setup({
    types: {} as { context: Context; input: TaskInput<InBandOptions>; output: InBandPlan | null },
    actors: { look: command, plan: planInBand },
  }).createMachine({
    id: name,
    context: ({ input }) => ({ ...input, stdout: '', plan: null }),
    initial: 'looking',
    states: {
      looking: {
        invoke: {
          src: 'look',
          input: ({ context: { options } }) => raidLook(options.tool),
          onDone: { target: 'planning', actions: assign({ stdout: ({ event }) => event.output?.stdout ?? '' }) },
        },
      },
      planning: {
        invoke: {
          src: 'plan',
          input: ({ context: { options, stdout } }) => ({ options, stdout }),
          onDone: { target: 'done', actions: assign({ plan: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.plan,
  }),
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<InBandOptions>).volumes ?? []),
});
