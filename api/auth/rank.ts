/** A user can neither grant privileges that the user lacks nor change users and roles who have more. */
import type { Binding, Engine } from '../../engine/api-port/index.ts';
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { MissingPrivilege } from '../http/rejections.ts';
import { lackingPrivileges } from '../http/rights.ts';
import type { Identity } from '../http/route.ts';
import { privilegesOfRole } from './tokens.ts';

/** @throws MissingPrivilege with those that are missing */
export function checkHolds(identity: Identity | undefined, privileges: readonly Privilege[]): void {
  const missing = identity === undefined ? [] : lackingPrivileges(identity.privileges, privileges);
  if (missing.length > 0) throw new MissingPrivilege(missing, { needsAll: true });
}

interface Roles {
  role?: string | null | undefined;
  bindings?: readonly Binding[] | undefined;
}

/** @throws MissingPrivilege when the roles have more privileges than the user has on the whole site */
export async function checkRank(
  engine: Engine,
  identity: Identity | undefined,
  { role, bindings = [] }: Roles,
): Promise<void> {
  if (identity === undefined) return;
  const roles = [...(role == null ? [] : [role]), ...bindings.map((binding) => binding.role)];
  for (const name of roles) checkHolds(identity, await privilegesOfRole(engine, name));
}
