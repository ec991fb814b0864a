/**
 * Inserts an image into a virtual drive of the node's BMC, which fetches it from its URL. The image stays if it is
 * already inserted; a different one is ejected first.
 *
 * Output: `{ drive, inserted }`; `inserted` is false if the image was already there.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';
import { insertImage, mediaOption } from '../engine/hardware/redfish/virtual-media.ts';

const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    image: Type.String({
      pattern: '^[a-z]+://',
      maxLength: 2_048,
      description: 'URL of the image, as the BMC reaches it.',
    }),
    media: mediaOption,
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, { drive: string; inserted: boolean }>({
  injectableName: 'Task.VirtualMedia.Insert',
  friendlyName: 'Insert virtual media',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  run: async (scope) => insertImage(await serviceOf(scope), scope.input.media ?? 'CD', scope.input.image),
});
