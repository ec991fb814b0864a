/** Resources of a Redfish service: their links, and what their actions take. */
import { ObmError } from '../define/obm.ts';
import type { Asked } from './session.ts';

export type Resource = Record<string, unknown>;
export type AskResource = (asked: Asked) => Promise<Resource>;

/** Members that are looked at; a BMC has a handful. */
const MEMBERS = 100;

/** The path of a resource, or of what a link leads to. */
export function linkOf(resource: unknown): string {
  const { '@odata.id': path } = (resource ?? {}) as Resource;
  if (typeof path === 'string') return path;
  throw new ObmError('OBM_FAILED', 'the BMC names a resource without @odata.id (DSP0266)');
}

export const linksOf = (members: unknown): string[] =>
  Array.isArray(members) ? members.slice(0, MEMBERS).map(linkOf) : [];

/**
 * Where an action is posted to, and what its parameter may be: said beside it, or by its `@Redfish.ActionInfo`.
 * @returns allowed: undefined when the BMC does not say
 */
export async function allowedOf(
  ask: AskResource,
  { Actions: actions }: Resource,
  name: string,
  parameter: string,
): Promise<{ path: string; allowed: unknown[] | undefined }> {
  const action = ((actions ?? {}) as Record<string, Resource>)[name];
  const path = action?.target;
  if (typeof path !== 'string') {
    throw new ObmError('OBM_UNSUPPORTED', `the BMC has no action ${name}`, { retry: false });
  }
  const beside = action?.[`${parameter}@Redfish.AllowableValues`];
  if (Array.isArray(beside)) return { path, allowed: beside };
  const info = action?.['@Redfish.ActionInfo'];
  if (typeof info !== 'string') return { path, allowed: undefined };
  const { Parameters: parameters } = await ask({ method: 'GET', path: info });
  const found = (Array.isArray(parameters) ? (parameters as Resource[]) : []).find(({ Name }) => Name === parameter);
  return { path, allowed: Array.isArray(found?.AllowableValues) ? found.AllowableValues : undefined };
}
