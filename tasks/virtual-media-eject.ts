/** Ejects the image of a virtual drive of the node's BMC; an empty drive stays as it is. Output: `{ drive, ejected }`. */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';
import { ejectImage, mediaOption } from '../engine/hardware/redfish/virtual-media.ts';

const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    media: mediaOption,
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, { drive: string; ejected: boolean }>({
  injectableName: 'Task.VirtualMedia.Eject',
  friendlyName: 'Eject virtual media',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  run: async (scope) => ejectImage(await serviceOf(scope), scope.input.media ?? 'CD'),
});
