/**
 * Selects the alerts that a node's iDRAC publishes as Redfish events, as `racadm eventfilters set ... -n` does. It
 * imports configuration profiles that contain only the differences; without a difference nothing is imported. The host
 * is not restarted.
 *
 * Output: `{ changed }`, the names of filters.
 */
import { defineTask, Type } from 'nodewright/define';
import { alertKind, setEventFilters } from '../engine/hardware/redfish/idrac-alerts.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    setting: Type.Unsafe<'Enabled' | 'Disabled'>({
      enum: ['Enabled', 'Disabled'],
      description: 'The setting of the selected alerts.',
    }),
    only: Type.Optional(Type.Array(alertKind, { minItems: 1, maxItems: 15, description: 'Absent: all alerts.' })),
    except: Type.Optional(Type.Array(alertKind, { maxItems: 15, description: 'Alerts that remain unchanged.' })),
  },
  { additionalProperties: false },
);

export default defineTask({
  injectableName: 'Task.Dell.Event.Filters',
  friendlyName: 'Filter Dell Redfish Events',
  recovery: 'idempotent',
  // An iDRAC runs one such job at a time and rejects others in the meantime.
  retry: { attempts: 6, delayMs: 2_000 },
  needs: needsService,
  optionsSchema,
  run: async (scope) => ({ changed: await setEventFilters(await serviceOf(scope), scope.input) }),
});
