/** Resources of a Redfish service: their links and the parameters of their actions. */

import { ObmError, type PowerState } from '../../define/obm.ts';
import { listIn, objectIn, property } from '../../vocabulary/json.ts';
import type { RedfishRequest } from './session.ts';

export type Resource = Record<string, unknown>;
export type AskResource = (request: RedfishRequest) => Promise<Resource>;

/** Limit of members read; a BMC has a handful. */
const MEMBERS = 100;

/** Returns the path of a resource or of the target of a link. */
export function linkOf(resource: unknown): string {
  const path = property(resource, '@odata.id');
  if (typeof path === 'string') return path;
  throw new ObmError('OBM_FAILED', 'the BMC sent a resource without @odata.id (DSP0266)');
}

export const resourceLinks = (members: unknown): string[] =>
  Array.isArray(members) ? members.slice(0, MEMBERS).map(linkOf) : [];

/**
 * Returns the path of an action and the allowed values of its parameter, from its
 * annotation or its `@Redfish.ActionInfo`.
 * @returns allowed: undefined if the BMC does not specify them
 */
export async function allowedOf(
  ask: AskResource,
  { Actions: actions }: Resource,
  name: string,
  parameter: string,
): Promise<{ path: string; allowed: unknown[] | undefined }> {
  const action = objectIn(property(actions, name));
  const path = action.target;
  if (typeof path !== 'string') {
    throw new ObmError('OBM_UNSUPPORTED', `the BMC has no action ${name}`, { retry: false });
  }
  const beside = action[`${parameter}@Redfish.AllowableValues`];
  if (Array.isArray(beside)) return { path, allowed: beside };
  const info = action['@Redfish.ActionInfo'];
  if (typeof info !== 'string') return { path, allowed: undefined };
  const { Parameters: parameters } = await ask({ method: 'GET', path: info });
  const parameterEntry = listIn(parameters).find((each) => property(each, 'Name') === parameter);
  const allowed = property(parameterEntry, 'AllowableValues');
  return { path, allowed: Array.isArray(allowed) ? allowed : undefined };
}

/** @throws ObmError OBM_FAILED if the resource has no state */
export function powerStateIn({ PowerState: state }: Resource): PowerState {
  if (state === 'On' || state === 'Off') return state === 'On' ? 'on' : 'off';
  if (state === 'PoweringOn' || state === 'PoweringOff' || state === 'Paused') return 'changing';
  throw new ObmError('OBM_FAILED', `the BMC's PowerState is ${JSON.stringify(state)}, expected On or Off`);
}
