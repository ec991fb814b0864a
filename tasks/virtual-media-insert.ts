/**
 * Inserts an image into a virtual drive of the node's BMC, which fetches it from its URL. The image stays if it is
 * already inserted; a different one is ejected first.
 *
 * Output: `{ drive, inserted }`; `inserted` is false if the image was already there.
 */
import { bmcRetry, defineTask, ObmError, Type } from 'nodewright/define';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';
import {
  driveFor,
  eject,
  holds,
  insert,
  isEmpty,
  mediaOf,
  mediaOption,
  readAgain,
} from '../engine/hardware/redfish/virtual-media.ts';

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
  run: async (scope) => {
    const { image, media = 'CD' } = scope.input;
    const service = await serviceOf(scope);
    const drive = driveFor(await mediaOf(service), media, image);
    const path = String(drive['@odata.id']);
    if (holds(drive, image)) return { drive: path, inserted: false };
    if (!isEmpty(drive)) await eject(service, drive);
    await insert(service, drive, { Image: image, Inserted: true, WriteProtected: true });
    const driveAfter = await readAgain(service.ask, drive);
    if (!isEmpty(driveAfter)) return { drive: path, inserted: true };
    throw new ObmError(
      'OBM_FAILED',
      `${path} of the BMC is empty after the image was inserted; can the BMC reach ${image}?`,
    );
  },
});
