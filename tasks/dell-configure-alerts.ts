/**
 * Enables the alerts of a node's iDRAC, and publishes all of them as Redfish events but the information of audits, as RackHD's job over
 * WS-Man does. Only differences are set. Nothing is subscribed, and the host is not restarted.
 *
 * Output: `{ changed }`, the names of settings.
 */
import { defineTask, Type } from 'nodewright/define';
import { auditInformation, enableAlerts, setEventFilters } from '../engine/hardware/redfish/idrac-alerts.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

export default defineTask({
  injectableName: 'Task.Dell.Configure.Alerts',
  friendlyName: 'Configure Dell Alerts',
  recovery: 'idempotent',
  // An iDRAC runs one job at a time and rejects others in the meantime.
  retry: { attempts: 6, delayMs: 5_000 },
  needs: needsService,
  optionsSchema: Type.Object(
    {
      ...serviceOptions,
      shutdownType: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1, description: 'Has no effect: the host is not restarted.' }),
      ),
      forceUpdate: Type.Optional(Type.Boolean({ description: 'Has no effect: only differences are set.' })),
    },
    { additionalProperties: false },
  ),
  run: async (scope) => {
    const service = await serviceOf(scope);
    const alerts = (await enableAlerts(service.ask)) ? ['IPMILan.1.AlertEnable'] : [];
    const enabledFilters = await setEventFilters(service, { setting: 'Enabled', except: auditInformation });
    const disabledFilters = await setEventFilters(service, { setting: 'Disabled', only: auditInformation });
    return { changed: [...alerts, ...enabledFilters, ...disabledFilters] };
  },
});
