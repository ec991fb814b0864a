/** The privileges a route requires, for documentation; derived from the same tables that enforce them. */
import type { Privilege } from '../../engine/vocabulary/roles.ts';
import { neededPrivileges } from '../http/rights.ts';
import type { Route } from '../http/route.ts';
import type { TeamReach } from '../http/scope.ts';

export interface Privileges {
  /** Any one of these grants access; empty: the route takes no token. */
  anyOf: readonly Privilege[];
  /** Privileges that grant access to a part of the route only, with that part. */
  limits?: Partial<Record<Privilege, string>>;
  /** Further requirements. */
  besides?: string;
  /** The part for users with these privileges by a binding to a team only; absent: none. */
  members?: string;
}

const ranks = {
  user: 'all privileges that the user has and will have',
  role: 'all privileges that the role has and will have',
};

const memberParts: Record<TeamReach['by'], string> = {
  node: 'the nodes of the team',
  workflow: 'the workflows of the team',
  record: 'those of the team',
  handler: 'what is of the team',
  free: 'all, which is the same for each user',
};

type RouteRights = Pick<Route, 'resourceGroup' | 'method' | 'scope' | 'rank' | 'entry' | 'reach'>;

export function privilegesOf({ resourceGroup, method, scope, rank, entry = [], reach }: RouteRights): Privileges {
  const anyOf = resourceGroup === 'open' ? entry : neededPrivileges(resourceGroup, method);
  const limited = anyOf.filter((privilege) => scope !== undefined && !scope.whole.includes(privilege));
  const elsewhere = (scope?.whole ?? []).filter((privilege) => !anyOf.includes(privilege));
  const part = elsewhere.length > 0 ? `${scope?.part}; all with ${elsewhere.join(', ')}` : scope?.part;
  return {
    anyOf,
    ...(limited.length > 0 && { limits: Object.fromEntries(limited.map((privilege) => [privilege, part])) }),
    ...(rank && { besides: ranks[rank] }),
    ...(reach && { members: memberParts[reach.by] }),
  };
}

/** Returns one line, such as `ConfigureUsers, ConfigureSelf (one's own password)`. */
export function privilegesLine(route: RouteRights & Pick<Route, 'firstUser'>): string {
  const { anyOf, limits = {}, besides, members } = privilegesOf(route);
  const names = anyOf.map((privilege) => (limits[privilege] ? `${privilege} (${limits[privilege]})` : privilege));
  const line = [names.join(', '), ...(besides ? [besides] : [])].join(', and ');
  const first = route.firstUser ? '; no token for the first user' : '';
  if (route.resourceGroup === 'open') return line === '' ? 'no token' : `no token; the user needs ${line}`;
  return `${line}${first}${members === undefined ? '' : `; by a binding: ${members}`}`;
}
