/** The user of this page, and the user's rights. An action without the right for it is disabled; the daemon rejects it all the same. */
import { computed, effect, signal } from '@preact/signals';
import { isProviderUser } from '../../../engine/vocabulary/user-names.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { ResourceGroup } from '../../http/rights.ts';
import { holdsOne, neededPrivileges } from '../../http/rights.ts';
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

/** Whether the user may request this method of the resource group. */
export const may = (group: Exclude<ResourceGroup, 'open'>, method = 'GET'): boolean =>
  holdsOne(session.value?.privileges ?? [], neededPrivileges(group, method));

/** Returns why the user may not request this; undefined: the user may. */
export const lackedRight = (group: Exclude<ResourceGroup, 'open'>, method: string): string | undefined =>
  may(group, method)
    ? undefined
    : `This needs the right ${neededPrivileges(group, method).join(' or ')}, which you do not have.`;

export const mayOperate = computed(() => may('components', 'POST'));
