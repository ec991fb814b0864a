/**
 * Waits until the RAID controllers of the node have changed volumes, after a restart of the machine.
 *
 * Output: `{ kept }`: the names of the volumes that are there as wanted.
 */
import { bmcRetry, defineTask, Type } from 'nodewright/define';
import { changeSchema, layoutOptions } from '../engine/hardware/raid/raid-layout.ts';
import { lookMachine, lookOptions } from '../engine/hardware/redfish/look.ts';
import { verifyLayout } from '../engine/hardware/redfish/raid-activities.ts';
import { needsService, serviceOptions } from '../engine/hardware/redfish/service.ts';

const name = 'Task.Raid.Verify';
const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    ...lookOptions,
    ...layoutOptions,
    changes: Type.Optional(
      Type.Array(changeSchema, {
        description: 'Set by the graph: what it waits for. Absent: the whole layout.',
      }),
    ),
  },
  { additionalProperties: false },
);

export default defineTask<typeof optionsSchema, { kept: string[] }>({
  injectableName: name,
  friendlyName: 'Verify RAID volumes',
  recovery: 'idempotent',
  retry: bmcRetry,
  needs: needsService,
  optionsSchema,
  machine: lookMachine(name, verifyLayout as never),
});
