/**
 * Checks the files of firmware updates in band before the node is booted for them: each is stored, and is that of its checksum. It is
 * read-only. It has no output.
 */
import { defineTask, Type } from 'nodewright/define';
import { rejectedUpdate } from '../engine/hardware/firmware/device-look.ts';
import { type UpdateOptions, updateOptions } from '../engine/hardware/firmware/device-updates.ts';
import { checkFiles } from '../engine/hardware/firmware/in-band-updates.ts';

const optionsSchema = Type.Object({ updates: Type.Optional(updateOptions.updates) }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, null>({
  injectableName: 'Task.Firmware.Check.InBand',
  friendlyName: 'Check the files of a firmware update',
  recovery: 'idempotent',
  optionsSchema,
  run: async ({ input, services }) => {
    const { updates } = input as Partial<UpdateOptions>;
    if (updates === undefined) throw rejectedUpdate('updates: are missing; name them in update');
    await checkFiles(services, updates);
    return null;
  },
});
