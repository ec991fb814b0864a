/**
 * Enables alerts on a node's iDRAC, as `racadm set iDRAC.IPMILan.AlertEnable 1` does; no change if already enabled.
 *
 * Output: `{ changed }`.
 */
import { defineTask, Type } from 'nodewright/define';
import { enableAlerts } from '../engine/hardware/redfish/idrac-alerts.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

export default defineTask({
  injectableName: 'Task.Dell.Enable.Alerts',
  friendlyName: 'Enable Dell Alerts',
  recovery: 'idempotent',
  retry: { attempts: 3, delayMs: 2_000 },
  needs: needsService,
  optionsSchema: Type.Object(serviceOptions, { additionalProperties: false }),
  run: async (scope) => ({ changed: await enableAlerts((await serviceOf(scope)).ask) }),
});
