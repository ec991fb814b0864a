/**
 * Finds the disk for an image in the node's latest driveId catalog, by its name in the request, and rejects others. It is
 * read-only; `Task.Os.Image.Write` writes to exactly the disk found here, whatever its name is by then.
 *
 * Output: `{ plan }`; an invalid request fails with `INSTALL_REJECTED`.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { imageDrive } from '../engine/hardware/install/image-activities.ts';

export default defineTask({
  injectableName: 'Task.Os.Image.Check',
  friendlyName: 'Check which disk gets the image',
  recovery: 'idempotent',
  optionsSchema: Type.Object(
    {
      disk: Type.Optional(
        Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.String({ minLength: 1, maxLength: 256 })], {
          description: 'Set by the graph: device name, identifier or wwid of the driveId catalog.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  run: async ({ input: { disk }, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no disk', 'NO_NODE');
    if (disk === undefined) throw new PermanentError('disk: is missing; name one in write-image', 'INSTALL_REJECTED');
    return { plan: [imageDrive(disk, await services.catalog(nodeId, 'driveId'))] };
  },
});
