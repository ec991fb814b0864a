/**
 * Deletes or creates one RAID volume on the node, through the agent, by storcli64, perccli64 or mdadm. The content of its drives is
 * lost.
 *
 * - **planning**: takes the change that `Task.Raid.Plan.InBand` found.
 * - **watching**: the node starts it once, as a job. A daemon or an agent that dies finds it running, or ended. After a restart of
 *   the machine, or on other drives, nothing is changed.
 * - **concluding**: what was not done fails as `RAID_UNCHANGED`.
 *
 * Output: `{ change }`, with the serial numbers of the drives.
 */
import { defineTask, Type } from 'nodewright/define';
import { jobMachine } from '../engine/hardware/jobs/job-machine.ts';
import { concludeChange, type InBandOptions, noJob, planChange } from '../engine/hardware/raid/in-band-activities.ts';
import { toolOption } from '../engine/hardware/raid/in-band-options.ts';
import { raidCommand } from '../engine/hardware/raid/raid-commands.ts';
import {
  changeSchema,
  type ListedChange,
  layoutOptions,
  layoutViolations,
  namedSerials,
} from '../engine/hardware/raid/raid-layout.ts';

const name = 'Task.Raid.Change.InBand';
const optionsSchema = Type.Object(
  {
    ...layoutOptions,
    ...toolOption,
    next: Type.Optional(
      Type.Object(
        {
          at: Type.Integer({ minimum: 0, maximum: 1_000 }),
          change: changeSchema,
          wanted: Type.Record(Type.String(), Type.String()),
        },
        { additionalProperties: false, description: 'Set by the graph: what to change.' },
      ),
    ),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, { change: ListedChange }>({
  injectableName: name,
  friendlyName: 'Change RAID volumes in band',
  recovery: 'once',
  destructive: true,
  optionsSchema,
  machine: jobMachine(name, {
    plan: planChange,
    commandOf: raidCommand,
    conclude: concludeChange,
    none: noJob,
  }),
  // None of its activities touches the machine, and its command begins the change once.
  probe: async () => ({ state: 'never-started' }),
  drives: async ({ options }) => namedSerials(options as Partial<InBandOptions>),
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<InBandOptions>).volumes ?? []),
});
