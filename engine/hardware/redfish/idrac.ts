/**
 * Dell iDRAC extensions of Redfish: vendor attributes, and configuration profiles that jobs export and import (Dell,
 * iDRAC9 Redfish API Guide and Server Configuration Profiles Reference Guide; firmware 3 and later).
 */
import { ObmError } from '../../define/index.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { type Ask, type Json, linkIn, SERVICE_ROOT } from './service.ts';

interface Attribute {
  Name: string;
  Value: string;
}

export interface Component {
  FQDD: string;
  Attributes: Attribute[];
}

interface Manager extends Json {
  Links?: { Oem?: { Dell?: { DellAttributes?: unknown[] } } };
  Actions?: { Oem?: Record<string, { target?: unknown }> };
}

/** @throws ObmError OBM_UNSUPPORTED when the BMC is not an iDRAC */
export async function idracOf(ask: Ask): Promise<Manager> {
  const root = await ask({ method: 'GET', path: SERVICE_ROOT });
  const { Members: members } = await ask({ method: 'GET', path: linkIn(root.Managers) ?? `${SERVICE_ROOT}Managers` });
  for (const member of listIn(members)) {
    const path = linkIn(member);
    if (path?.includes('/iDRAC.')) return ask({ method: 'GET', path });
  }
  throw unsupportedError('it has no manager named iDRAC');
}

/** Firmware from 2021 on has them below the manager's Oem, older firmware next to the manager. */
export function attributesOf(manager: Manager): string {
  const links = manager.Links?.Oem?.Dell?.DellAttributes ?? [];
  const linked = links.map(linkIn).find((path) => /\/iDRAC\.[^/]*$/.test(path ?? ''));
  return linked ?? `${linkIn(manager)}/Attributes`;
}

/** The prefixes of the actions differ between firmware versions. */
export function profileAction(
  manager: Manager,
  name: 'ExportSystemConfiguration' | 'ImportSystemConfiguration',
): string {
  const actions = Object.entries(manager.Actions?.Oem ?? {});
  const [, action] = actions.find(([key]) => key.endsWith(`.${name}`)) ?? [];
  if (typeof action?.target === 'string') return action.target;
  throw unsupportedError(`its manager has no action ${name}`);
}

/** Returns the components of a profile that was exported as JSON. */
export function componentsOf({ SystemConfiguration: configuration }: Json): Component[] {
  const components = property(configuration, 'Components');
  if (Array.isArray(components)) return components as Component[];
  throw unsupportedError('its export has no SystemConfiguration.Components');
}

const unsupportedError = (problem: string) =>
  new ObmError('OBM_UNSUPPORTED', `the BMC is not an iDRAC 9 with firmware 3 or later: ${problem}`, { retry: false });
