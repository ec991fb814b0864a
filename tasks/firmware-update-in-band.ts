/**
 * Updates the firmware of NVMe, SATA and SAS drives, and by packages of vendors, on the booted node through the agent. Devices that have
 * their version are left alone; those of other models are not touched. Nothing is written if a device cannot be updated, such as one
 * that is in use.
 *
 * - **looking**, **planning**: asks the devices for their versions, before each update and after the last one.
 * - **watching**: the node starts the update of a device once, as a job: it fetches the file, checks its SHA-256, and writes it. A daemon or
 *   an agent that dies finds the job running, or ended. After a restart of the machine, or on another drive, it writes nothing. A cancel
 *   waits for a tool that writes.
 * - **concluding**: a device whose tool fails ends the task as `FIRMWARE_UNCHANGED`; the message names the device.
 *
 * Output: the updated devices, with `restart: true` for those that need a restart of the machine. `Task.Firmware.Verify.InBand` compares
 * the versions afterwards.
 */
import { defineTask, Type } from 'nodewright/define';
import { type UpdateOptions, updateOptions, updateViolations } from '../engine/hardware/firmware/device-updates.ts';
import {
  concludeUpdate,
  noUpdate,
  planUpdate,
  type UpdatedDevice,
} from '../engine/hardware/firmware/in-band-updates.ts';
import { deviceLook, updateCommand } from '../engine/hardware/firmware/update-commands.ts';
import { jobsMachine } from '../engine/hardware/jobs/job-machine.ts';

const name = 'Task.Firmware.Update.InBand';
const optionsSchema = Type.Object(updateOptions, { additionalProperties: false });

export default defineTask<typeof optionsSchema, UpdatedDevice[]>({
  injectableName: name,
  friendlyName: 'Update firmware in band',
  recovery: 'once',
  optionsSchema,
  machine: jobsMachine(name, {
    look: ({ updates }: UpdateOptions) => deviceLook(updates),
    plan: planUpdate,
    commandOf: updateCommand,
    conclude: concludeUpdate,
    none: noUpdate,
  }),
  // None of its activities touches the machine, and its commands begin each update once.
  probe: async () => ({ state: 'never-started' }),
  checkLaunch: async ({ options }) => updateViolations((options as Partial<UpdateOptions>).updates ?? []),
});
