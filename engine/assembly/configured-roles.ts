/** Checks the roles that the configuration names. */
import type { Logger } from 'pino';
import { roleSpec, type StoredRole } from '../operations/users/user-requests.ts';
import { byIds } from '../platform/store/pages.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { builtInRoles } from '../vocabulary/roles.ts';
import type { Foundation } from './foundation.ts';

/** @throws NodewrightError CONFIG_INVALID for a role that does not exist */
export async function checkConfiguredRoles(
  { config, store }: Pick<Foundation, 'config' | 'store'>,
  log: Logger,
): Promise<void> {
  const { approvals, restrictions, oidc } = config;
  const named = [
    ...approvals.flatMap(({ roles = [] }, at) => roles.map((role) => ({ role, key: `approvals.${at}.roles` }))),
    ...restrictions.flatMap(({ roles }, at) => roles.map((role) => ({ role, key: `restrictions.${at}.roles` }))),
    ...(oidc?.roles ?? []).map(({ role }, at) => ({ role, key: `oidc.roles.${at}.role` })),
  ];
  const names = named.map(({ role }) => role);
  const stored = names.length === 0 ? [] : await byIds(await store.collection<StoredRole>(roleSpec), names);
  const privilegesOf = new Map([...builtInRoles, ...stored.map(({ id, privileges }) => [id, privileges] as const)]);
  const unknown = named.find(({ role }) => !privilegesOf.has(role));
  if (unknown !== undefined) {
    const { key, role } = unknown;
    const message = `configuration: ${key} has ${JSON.stringify(role)}, which is no role; create it, or correct the name`;
    throw new NodewrightError('CONFIG_INVALID', message);
  }
  if (oidc === undefined || oidc.localUsers) return;
  if (oidc.roles.some(({ role, team }) => team === undefined && privilegesOf.get(role)?.includes('ConfigureUsers')))
    return;
  log.warn(
    'oidc.localUsers is false, and no role of oidc.roles has ConfigureUsers: no user can administer this daemon',
  );
}
