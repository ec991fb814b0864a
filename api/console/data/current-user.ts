/** The user of this page, and the user's rights. An action without the right for it is disabled; the daemon rejects it all the same. */
import { computed, effect, signal } from '@preact/signals';
import { admitsGraph } from '../../../engine/vocabulary/graph-patterns.ts';
import type { Privilege } from '../../../engine/vocabulary/roles.ts';
import { isProviderUser } from '../../../engine/vocabulary/user-names.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { ResourceGroup } from '../../http/rights.ts';
import { holdsOne, neededPrivileges, personalAreas } from '../../http/rights.ts';
import { client, resumedToken, token } from './daemon-client.ts';
import { endAtProvider, tokenOfProvider } from './provider-login.ts';

type Session = GetAnswer<'/login/user'>;

/** undefined: not known yet, or a login is needed. */
export const session = signal<Session | undefined>();
/** Whether the daemon has said that a login is needed. */
export const mustLogIn = signal(false);

/** Reads the session: of the token, of the browser, or of a daemon that needs none. @throws RequestError */
export async function openSession(): Promise<void> {
  try {
    token.value ??= (await tokenOfProvider()) ?? (await resumedToken());
    session.value = (await client.get('/login/user')).body;
    mustLogIn.value = false;
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    mustLogIn.value = true;
  }
}

const isUnauthorized = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'status' in error && error.status === 401;

/** @throws RequestError */
export async function logIn(username: string, password: string): Promise<void> {
  const { body } = await client.post('/login', { body: { username, password }, query: { remember: true } });
  token.value = body.token;
  await openSession();
}

/** The token ends in all daemons; the session at the provider ends too, if it is configured so. */
export async function logOut(): Promise<void> {
  const name = session.value?.username ?? '';
  await client.remove('/login').catch(() => {});
  if (isProviderUser(name)) await endAtProvider();
  token.value = undefined;
}

effect(() => {
  if (token.value !== undefined || session.peek() === undefined || session.peek()?.username === null) return;
  session.value = undefined;
  mustLogIn.value = true;
});

type Area = Exclude<ResourceGroup, 'open'>;

/** Changes in these are for members of teams too, each on the records of its team. */
const areasOfMembers: ReadonlySet<ResourceGroup> = new Set<ResourceGroup>([
  'components',
  'fleet',
  'tickets',
  ...personalAreas,
]);

/** The team of the record that changes: null for none, so that only rights on the whole site count; undefined: any team. */
type Owner = string | null | undefined;

function heldOn(group: Area, method: string, owner: Owner): readonly Privilege[] {
  const { privileges = [], onSite = privileges, teams = [] } = session.value ?? {};
  if (owner === undefined && (method === 'GET' || areasOfMembers.has(group))) return privileges;
  return [...onSite, ...teams.filter(({ team }) => team === owner).flatMap((grant) => grant.privileges)];
}

/** Whether the user may request this method of the resource group. */
export const may = (group: Area, method = 'GET', owner?: Owner): boolean =>
  holdsOne(heldOn(group, method, owner), neededPrivileges(group, method));

/** Returns why the user may not request this; undefined: the user may. */
export function lackedRight(group: Area, method: string, owner?: Owner): string | undefined {
  if (may(group, method, owner)) return undefined;
  const isOfMembers = session.value?.teams === undefined || (owner === undefined && areasOfMembers.has(group));
  const place = isOfMembers ? '' : owner ? ` on the nodes of ${owner}` : ' on the whole site';
  const right = neededPrivileges(group, method).join(' or ');
  return `This needs the right ${right}${place}, which you do not have; a user with ConfigureUsers can give it.`;
}

/** Whether the user may work on nodes: of the whole site, or of a team. */
export const mayOperate = computed(() => may('components', 'POST'));
/** The same for what belongs to no team, such as SKUs and simulations. */
export const mayOperateSite = computed(() => may('components', 'POST', null));

/** Whether no binding to a team keeps the user from launching the graph. Where the user may launch none, forms are disabled. */
export function mayLaunchGraph(graph: string): boolean {
  const { teams = [] } = session.value ?? {};
  const launching = teams.filter(({ privileges }) => holdsOne(privileges, neededPrivileges('components', 'POST')));
  return mayOperateSite.value || launching.length === 0 || launching.some((grant) => admitsGraph(grant, graph));
}
