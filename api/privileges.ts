/** What a route asks of who comes, for those who read about it: made from what the guard and the handlers go by. */
import type { Privilege } from '../engine/define/roles.ts';
import { needed } from './rights.ts';
import type { Route } from './route.ts';

export interface Privileges {
  /** One of these opens the route; none: it takes no token. */
  anyOf: readonly Privilege[];
  /** Of those that open a part only: which. */
  limits?: Partial<Record<Privilege, string>>;
  /** What is needed besides. */
  besides?: string;
}

const ranks = {
  user: 'all that the user has and is to have',
  role: 'all that the role has and is to have',
};

type Asked = Pick<Route, 'area' | 'method' | 'reach' | 'rank' | 'entry'>;

export function privilegesOf({ area, method, reach, rank, entry = [] }: Asked): Privileges {
  const anyOf = area === 'open' ? entry : needed(area, method);
  const limited = anyOf.filter((privilege) => reach !== undefined && !reach.whole.includes(privilege));
  const elsewhere = (reach?.whole ?? []).filter((privilege) => !anyOf.includes(privilege));
  const part = elsewhere.length > 0 ? `${reach?.part}; all with ${elsewhere.join(', ')}` : reach?.part;
  return {
    anyOf,
    ...(limited.length > 0 && { limits: Object.fromEntries(limited.map((privilege) => [privilege, part])) }),
    ...(rank && { besides: ranks[rank] }),
  };
}

/** In a line, such as `ConfigureUsers, ConfigureSelf (one's own password)`. */
export function privilegesLine(route: Asked & Pick<Route, 'firstUser'>): string {
  const { anyOf, limits = {}, besides } = privilegesOf(route);
  const names = anyOf.map((privilege) => (limits[privilege] ? `${privilege} (${limits[privilege]})` : privilege));
  const line = [names.join(', '), ...(besides ? [besides] : [])].join(', and ');
  const first = route.firstUser ? '; no token for the first user' : '';
  if (route.area === 'open') return line === '' ? 'no token' : `no token; the user needs ${line}`;
  return line + first;
}
