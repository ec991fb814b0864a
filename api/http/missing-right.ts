/** The sentence of a 403 about rights: those that the request has, those that it needs, and the users who can give them. */
import { isProviderUser } from '../../engine/vocabulary/user-names.ts';
import type { MissingPrivilege } from './rejections.ts';
import type { Identity } from './route.ts';

/** @param identity undefined: the request is a log-in, whose user stays unnamed */
export function missingRightText(
  identity: Identity | undefined,
  { requiredPrivileges, place, needsAll }: MissingPrivilege,
): string {
  const needed = requiredPrivileges.join(needsAll ? ' and ' : ' or ');
  if (identity === undefined) return `expected ${needed}; ${giverOf(identity)}`;
  const expected = identity.grants === undefined ? needed : `${needed} ${place}`;
  return `found ${heldText(identity)}; expected ${expected}; ${giverOf(identity)}`;
}

function heldText({ privileges, grants = [] }: Identity): string {
  const onSite = privileges.length === 0 ? [] : [privileges.join(', ')];
  const onTeams = grants.map((grant) => `${grant.privileges.join(', ') || 'none'} on the nodes of ${grant.team}`);
  return [...onSite, ...onTeams].join('; ') || 'none';
}

function giverOf(identity: Identity | undefined): string {
  if (identity?.isLimited || identity?.grants?.some(({ isLimited }) => isLimited))
    return 'the token has only some rights of its user: create one with more';
  if (identity !== undefined && isProviderUser(identity.username))
    return 'the groups at the provider and `oidc.roles` determine the role';
  return 'a user with ConfigureUsers can give a role that has it';
}
