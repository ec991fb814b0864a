/**
 * Selects the alerts that a node's iDRAC publishes as Redfish events, as `racadm eventfilters set ... -n` does. It
 * imports configuration profiles that contain only the differences; without a difference nothing is imported. The host
 * is not restarted.
 *
 * Output: `{ changed }`, the names of filters.
 */
import { defineTask, type Static, Type } from 'nodewright/define';
import { type Component, componentsOf, idracOf, profileAction } from '../engine/hardware/redfish/idrac.ts';
import { needsService, serviceOf, serviceOptions } from '../engine/hardware/redfish/service.ts';

const categories = ['SystemHealth', 'Storage', 'Configuration', 'Audit', 'Updates'] as const;
/** Suffix numbers of filter names: `RAC_4_3#Alert#RedfishEventing` is an informational one. */
const severities = { critical: '1', warning: '2', informational: '3' } as const;
const FILTER = '#Alert#RedfishEventing';
const severity = Type.Unsafe<keyof typeof severities>({ enum: Object.keys(severities) });
const category = Type.Unsafe<(typeof categories)[number]>({ enum: categories });
const which = Type.Object({ category, severity }, { additionalProperties: false });

type Which = Static<typeof which>;

const optionsSchema = Type.Object(
  {
    ...serviceOptions,
    setting: Type.Unsafe<'Enabled' | 'Disabled'>({
      enum: ['Enabled', 'Disabled'],
      description: 'The setting of the selected alerts.',
    }),
    only: Type.Optional(Type.Array(which, { minItems: 1, maxItems: 15, description: 'Absent: all alerts.' })),
    except: Type.Optional(Type.Array(which, { maxItems: 15, description: 'Alerts that remain unchanged.' })),
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
  run: async (scope) => {
    const { setting, only, except } = scope.input;
    const { ask, finish } = await serviceOf(scope);
    const manager = await idracOf(ask);
    const path = profileAction(manager, 'ExportSystemConfiguration');
    const chosenCategories = categories.filter((one) => only?.some((each) => each.category === one) ?? true);
    const components: Component[] = [];
    for (const one of chosenCategories) {
      const body = { ExportFormat: 'JSON', ShareParameters: { Target: `EventFilters.${one}.1` } };
      const isMeant = (name: string) => (!only || stands(name, one, only)) && !stands(name, one, except ?? []);
      components.push(
        ...componentsOf(await finish({ method: 'POST', path, body })).flatMap(differingFilters(isMeant, setting)),
      );
    }
    if (components.length > 0) {
      const body = {
        ImportBuffer: JSON.stringify({ SystemConfiguration: { Components: components } }),
        ShareParameters: { Target: 'ALL' },
        ShutdownType: 'NoReboot',
      };
      await finish({ method: 'POST', path: profileAction(manager, 'ImportSystemConfiguration'), body });
    }
    return { changed: components.flatMap(({ FQDD, Attributes }) => Attributes.map(({ Name }) => `${FQDD}/${Name}`)) };
  },
});

/** Returns true if the list contains the filter of that category. */
const stands = (name: string, of: Which['category'], among: readonly Which[]): boolean =>
  among.some((one) => one.category === of && name.endsWith(`_${severities[one.severity]}${FILTER}`));

/** Returns the part of a component to import: the filters whose value differs. */
const differingFilters =
  (isMeant: (name: string) => boolean, setting: string) =>
  ({ FQDD, Attributes: all }: Component): Component[] => {
    const wrong = all.filter(({ Name, Value }) => Name.endsWith(FILTER) && isMeant(Name) && Value !== setting);
    const Attributes = wrong.map(({ Name }) => ({ Name, Value: setting, 'Set On Import': 'True' }));
    return Attributes.length === 0 ? [] : [{ FQDD, Attributes }];
  };
