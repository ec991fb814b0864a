/**
 * The log-in and the log-out at the provider of OpenID Connect. The browser goes there and returns to `/ui/login`: after a log-in
 * with a code, which the daemon exchanges. No token of the provider is in this page.
 */
import { signal } from '@preact/signals';
import { client } from './daemon-client.ts';

const RETURN_PATH = '/ui/login';
/** The address from before, in the storage of this tab. */
const KEPT_PATH = 'nodewright-login-from';
/** The state of a log-out at the provider, in the same storage. */
const LOGOUT_STATE = 'nodewright-logout';

/** Why the last log-in at the provider failed. */
export const providerProblem = signal<unknown>(undefined);

/** The session at the provider after a log-out here. */
export const endedSession = signal<'asked' | 'remains' | undefined>();

/** Leaves the page, if the session at the provider ends with the log-out here, which precedes. */
export async function endAtProvider(): Promise<void> {
  const methods = await client.get('/login/methods').catch(() => undefined);
  // Without an answer it is not known whether the log-in has ended.
  if (methods === undefined) return;
  if (methods.body.oidc?.endsSession !== true) {
    endedSession.value = 'remains';
    return;
  }
  const state = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
  sessionStorage.setItem(LOGOUT_STATE, state);
  // Not into the history: the provider gets an ID token by the address to which this one leads.
  location.replace(`/login/oidc/logout?state=${state}`);
}

/** Leaves the page. @throws RequestError */
export async function goToProvider(): Promise<void> {
  const { url } = (await client.post('/login/oidc')).body;
  const { pathname, search } = location;
  sessionStorage.setItem(KEPT_PATH, pathname === RETURN_PATH ? '/ui' : pathname + search);
  location.assign(url);
}

/** Exchanges the code in the address, if there is one, and shows the address from before. @returns a token */
export async function tokenOfProvider(): Promise<string | undefined> {
  if (location.pathname !== RETURN_PATH) return undefined;
  const answer = new URLSearchParams(location.search);
  history.replaceState(null, '', keptPath());
  const logoutState = sessionStorage.getItem(LOGOUT_STATE);
  for (const key of [KEPT_PATH, LOGOUT_STATE]) sessionStorage.removeItem(key);
  if (logoutState !== null && answer.get('state') === logoutState) endedSession.value = 'asked';
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => answer.get(name) ?? undefined);
  try {
    if (answer.has('error')) throw new Error(`The provider rejected the log-in: ${answer.get('error')}`);
    if (code === undefined || state === undefined) return undefined;
    return (await client.post('/login/oidc/code', { body: { code, state, ...(iss !== undefined && { iss }) } })).body
      .token;
  } catch (error) {
    providerProblem.value = error;
    return undefined;
  }
}

function keptPath(): string {
  const path = sessionStorage.getItem(KEPT_PATH) ?? '';
  return /^\/ui(?![^/?])/.test(path) ? path : '/ui';
}
