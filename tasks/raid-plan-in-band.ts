/**
 * Finds out what a layout of RAID volumes would change on the node, through the agent, by storcli64, perccli64 or mdadm. It changes
 * nothing, and assembles no arrays.
 *
 * Output: `{ changes, kept }`, as `Task.Raid.Plan`.
 */
import { defineTask, Type } from 'nodewright/define';
import { lookedMachine } from '../engine/hardware/jobs/looked-machine.ts';
import { type InBandOptions, type InBandPlan, planInBand } from '../engine/hardware/raid/in-band-activities.ts';
import { toolOption } from '../engine/hardware/raid/in-band-options.ts';
import { raidLook } from '../engine/hardware/raid/raid-commands.ts';
import { layoutOptions, layoutViolations } from '../engine/hardware/raid/raid-layout.ts';

const name = 'Task.Raid.Plan.InBand';
const optionsSchema = Type.Object({ ...layoutOptions, ...toolOption }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, InBandPlan>({
  injectableName: name,
  friendlyName: 'Plan RAID volumes in band',
  // It only reads.
  recovery: 'idempotent',
  optionsSchema,
  machine: lookedMachine(name, ({ tool }: InBandOptions) => raidLook(tool), planInBand),
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<InBandOptions>).volumes ?? []),
});
