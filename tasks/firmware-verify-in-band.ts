/**
 * Asks the devices of firmware updates in band for their versions, through the agent, and fails as `FIRMWARE_UNCHANGED` if any has
 * another one than it should. It changes nothing.
 *
 * The versions of packages become the catalog `firmware-packages`. Output: `{ devices, unmatched }`: each device with its versions before and after, and whether it was updated or had its version
 * already; the models that the node does not have.
 */
import { defineTask, Type } from 'nodewright/define';
import { updateOptions } from '../engine/hardware/firmware/device-updates.ts';
import {
  type VerifiedFirmware,
  type VerifyOptions,
  verifyUpdates,
} from '../engine/hardware/firmware/in-band-updates.ts';
import { deviceLook } from '../engine/hardware/firmware/update-commands.ts';
import { lookedMachine } from '../engine/hardware/jobs/looked-machine.ts';

const name = 'Task.Firmware.Verify.InBand';
const optionsSchema = Type.Object(
  {
    updates: Type.Optional(updateOptions.updates),
    mayLack: updateOptions.mayLack,
    updated: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Set by the graph: the devices that got an update.' }),
    ),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, VerifiedFirmware>({
  injectableName: name,
  friendlyName: 'Verify firmware in band',
  // It only reads.
  recovery: 'idempotent',
  optionsSchema,
  machine: lookedMachine(
    name,
    ({ updates = [] }: Partial<VerifyOptions>) => deviceLook(updates),
    verifyUpdates as never,
  ),
});
