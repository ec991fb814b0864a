/**
 * Makes a layout of RAID volumes on the node, through the agent, by storcli64, perccli64 or mdadm. Volumes that are there as wanted stay.
 * Nothing is changed if any part of the layout is not possible. The content of the drives of a deleted or a new volume is lost.
 *
 * - **looking**, **planning**: plans again from what the tool shows, before each change and after the last one.
 * - **watching**: the node starts the next change once, as a job. A daemon or an agent that dies finds it running, or ended. After a
 *   restart of the machine, or on other drives, nothing is changed.
 * - **concluding**: a change that was not made fails as `RAID_UNCHANGED`.
 *
 * Output: the changes, in order, with the serial numbers of the drives.
 */
import { defineTask, Type } from 'nodewright/define';
import { jobsMachine } from '../engine/hardware/jobs/job-machine.ts';
import { concludeChange, type InBandOptions, noJob, planJob } from '../engine/hardware/raid/in-band-activities.ts';
import { toolOption } from '../engine/hardware/raid/in-band-options.ts';
import { raidCommand, raidLook } from '../engine/hardware/raid/raid-commands.ts';
import {
  type ListedChange,
  layoutOptions,
  layoutViolations,
  namedSerials,
} from '../engine/hardware/raid/raid-layout.ts';

const name = 'Task.Raid.Configure.InBand';
const optionsSchema = Type.Object({ ...layoutOptions, ...toolOption }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, ListedChange[]>({
  injectableName: name,
  friendlyName: 'Configure RAID volumes in band',
  recovery: 'once',
  destructive: true,
  optionsSchema,
  machine: jobsMachine(name, {
    look: ({ tool }: InBandOptions) => raidLook(tool),
    plan: planJob,
    commandOf: raidCommand,
    conclude: concludeChange,
    none: noJob,
  }),
  // None of its activities touches the machine, and its commands begin each change once.
  probe: async () => ({ state: 'never-started' }),
  drives: async ({ options }) => namedSerials(options as Partial<InBandOptions>),
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<InBandOptions>).volumes ?? []),
});
