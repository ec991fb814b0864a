/**
 * Finds out what a layout of RAID volumes would change on the node, over Redfish. It changes nothing.
 *
 * Output: `{ changes, kept }`: the volumes that would be deleted and created, in order, with the serial numbers of the drives whose
 * content would be lost; and the names of those that are there as wanted.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { type ListedChange, layoutOptions, layoutViolations } from '../engine/hardware/raid/raid-layout.ts';
import { listedChange } from '../engine/hardware/raid/raid-plan.ts';
import { type LayoutOptions, raidPlanOf } from '../engine/hardware/redfish/raid-activities.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const optionsSchema = Type.Object({ ...serviceOptions, ...layoutOptions }, { additionalProperties: false });

export default defineTask<typeof optionsSchema, { changes: ListedChange[]; kept: string[] }>({
  injectableName: 'Task.Raid.Plan',
  friendlyName: 'Plan RAID volumes',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  run: async (scope) => {
    const { changes, kept } = await raidPlanOf(await serviceOf(scope), scope.input as LayoutOptions);
    return { changes: changes.map(listedChange), kept };
  },
  checkLaunch: async ({ options }) => layoutViolations((options as Partial<LayoutOptions>).volumes ?? []),
});
