/** The settings by which an iDRAC sends alerts: whether it does, and which of them it publishes as Redfish events. */
import { ObmError, Type } from '../../define/index.ts';
import { attributesOf, type Component, componentsOf, idracOf, profileAction } from './idrac.ts';
import type { Ask, Service } from './service.ts';

const ATTRIBUTE = 'IPMILan.1.AlertEnable';
const ENABLED = 'Enabled';

/** Enables alerts. @returns false if they were enabled already */
export async function enableAlerts(ask: Ask): Promise<boolean> {
  const path = attributesOf(await idracOf(ask));
  if ((await valueAt(ask, path)) === ENABLED) return false;
  await ask({ method: 'PATCH', path, body: { Attributes: { [ATTRIBUTE]: ENABLED } } });
  // The iDRAC also answers 200 when it has ignored an attribute.
  const actualValue = await valueAt(ask, path);
  if (actualValue === ENABLED) return true;
  throw new ObmError(
    'OBM_FAILED',
    `the BMC reports ${ATTRIBUTE} ${String(actualValue)} after it was set, expected ${ENABLED}`,
  );
}

async function valueAt(ask: Ask, path: string): Promise<unknown> {
  const { Attributes: attributes } = await ask({ method: 'GET', path });
  return (attributes as Record<string, unknown> | undefined)?.[ATTRIBUTE];
}

const categories = ['SystemHealth', 'Storage', 'Configuration', 'Audit', 'Updates'] as const;
/** Suffix numbers of filter names: `RAC_4_3#Alert#RedfishEventing` is an informational one. */
const severities = { critical: '1', warning: '2', informational: '3' } as const;
const FILTER = '#Alert#RedfishEventing';

const severity = Type.Unsafe<keyof typeof severities>({ enum: Object.keys(severities) });
const category = Type.Unsafe<(typeof categories)[number]>({ enum: categories });

/** Some alerts, by what they are about and how severe they are. */
export const alertKind = Type.Object({ category, severity }, { additionalProperties: false });

export interface AlertKind {
  category: (typeof categories)[number];
  severity: keyof typeof severities;
}

/** Logins and similar alerts, which this service's own requests would cause. */
export const auditInformation: readonly AlertKind[] = [{ category: 'Audit', severity: 'informational' }];

export interface FilterSetting {
  setting: 'Enabled' | 'Disabled';
  /** Absent: all alerts. */
  only?: readonly AlertKind[];
  /** Alerts that remain unchanged. */
  except?: readonly AlertKind[];
}

/** Imports a configuration profile with the filters that differ, if any; the host is not restarted. @returns their names */
export async function setEventFilters(
  { ask, finish }: Pick<Service, 'ask' | 'finish'>,
  { setting, only, except }: FilterSetting,
): Promise<string[]> {
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
  return components.flatMap(({ FQDD, Attributes }) => Attributes.map(({ Name }) => `${FQDD}/${Name}`));
}

/** Returns true if the list contains the filter of that category. */
const stands = (name: string, of: AlertKind['category'], among: readonly AlertKind[]): boolean =>
  among.some((one) => one.category === of && name.endsWith(`_${severities[one.severity]}${FILTER}`));

/** Returns the part of a component to import: the filters whose value differs. */
const differingFilters =
  (isMeant: (name: string) => boolean, setting: string) =>
  ({ FQDD, Attributes: all }: Component): Component[] => {
    const wrong = all.filter(({ Name, Value }) => Name.endsWith(FILTER) && isMeant(Name) && Value !== setting);
    const Attributes = wrong.map(({ Name }) => ({ Name, Value: setting, 'Set On Import': 'True' }));
    return Attributes.length === 0 ? [] : [{ FQDD, Attributes }];
  };
