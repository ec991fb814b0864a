/**
 * What Dell's iDRAC has beside the standard: attributes of its own, and profiles of its configuration, which it exports and
 * imports in jobs (Dell, iDRAC9 Redfish API Guide and Server Configuration Profiles Reference Guide; firmware 3 and later).
 */
import { ObmError } from '../../engine/define/index.ts';
import { type Ask, type Json, linkIn } from './_service.ts';

const ROOT = '/redfish/v1/';

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

/** @throws ObmError OBM_UNSUPPORTED when the BMC is none of Dell's */
export async function idracOf(ask: Ask): Promise<Manager> {
  const root = await ask({ method: 'GET', path: ROOT });
  const { Members: members } = await ask({ method: 'GET', path: linkIn(root.Managers) ?? `${ROOT}Managers` });
  for (const member of Array.isArray(members) ? members : []) {
    const path = linkIn(member);
    if (path?.includes('/iDRAC.')) return ask({ method: 'GET', path });
  }
  throw unsupported('it has no manager of the name iDRAC');
}

/** Firmware from 2021 on has them below its manager's Oem, and older beside it. */
export function attributesOf(manager: Manager): string {
  const links = manager.Links?.Oem?.Dell?.DellAttributes ?? [];
  const linked = links.map(linkIn).find((path) => /\/iDRAC\.[^/]*$/.test(path ?? ''));
  return linked ?? `${linkIn(manager)}/Attributes`;
}

/** Their keys have prefixes that differ with the firmware. */
export function profileAction(
  manager: Manager,
  name: 'ExportSystemConfiguration' | 'ImportSystemConfiguration',
): string {
  const actions = Object.entries(manager.Actions?.Oem ?? {});
  const [, action] = actions.find(([key]) => key.endsWith(`.${name}`)) ?? [];
  if (typeof action?.target === 'string') return action.target;
  throw unsupported(`its manager has no action ${name}`);
}

/** The components of a profile that was exported as JSON. */
export function componentsOf({ SystemConfiguration: configuration }: Json): Component[] {
  const { Components: components } = (configuration ?? {}) as { Components?: unknown };
  if (Array.isArray(components)) return components as Component[];
  throw unsupported('what it exports has no SystemConfiguration.Components');
}

const unsupported = (found: string) =>
  new ObmError('OBM_UNSUPPORTED', `the BMC is no iDRAC 9 with firmware 3 or later: ${found}`, { retry: false });
