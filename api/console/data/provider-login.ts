/**
 * The log-in at the provider of OpenID Connect. The browser goes there and returns to `/ui/login` with a code, which the daemon
 * exchanges: no token of the provider is in this page.
 */
import { signal } from '@preact/signals';
import { client } from './daemon-client.ts';

const RETURN_PATH = '/ui/login';
/** The address from before, in the storage of this tab. */
const KEPT_PATH = 'nodewright-login-from';

/** Why the last log-in at the provider failed. */
export const providerProblem = signal<unknown>(undefined);

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
  sessionStorage.removeItem(KEPT_PATH);
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
