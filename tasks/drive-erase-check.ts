/**
 * Finds the drives to erase in the node's latest driveId catalog, by the names in the request, and rejects invalid
 * requests. It is read-only; `Task.Drive.SecureErase` erases exactly the drives found here.
 *
 * Output: `{ drives }`; an invalid request fails with `ERASE_REJECTED`.
 */
import { defineTask, PermanentError, Type } from 'nodewright/define';
import { rejection } from '../engine/hardware/erase/erase-activities.ts';
import { type EraseSetting, eraseSettings, planOf } from '../engine/hardware/erase/plan.ts';

export default defineTask({
  injectableName: 'Task.Drive.Erase.Check',
  friendlyName: 'Check which drives to erase',
  recovery: 'idempotent',
  optionsSchema: Type.Object({ eraseSettings: Type.Optional(eraseSettings) }, { additionalProperties: false }),
  run: async ({ input, nodeId, services }) => {
    if (nodeId === null) throw new PermanentError('a workflow without a node has no drives', 'NO_NODE');
    const settings = (input.eraseSettings ?? []) as EraseSetting[];
    const { drives, violations } = planOf(settings, await services.catalog(nodeId, 'driveId'));
    if (drives.length === 0 && violations.length === 0)
      violations.push({ path: 'eraseSettings', message: 'is missing' });
    if (violations.length > 0) throw rejection('ERASE_REJECTED', violations);
    return { drives };
  },
});
