/** The log-out at the provider of OpenID Connect: where the browser is sent, and with which ID token. */
import test, { type ExecutionContext } from 'ava';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi } from '../support/servers/api.ts';
import { logInAt } from '../support/servers/browser-login.ts';
import { openIdFor, startSigningProvider } from '../support/servers/signing-provider.ts';

const CALLBACK = 'https://daemon.example/ui/login';
const LOGOUT = '/login/oidc/logout';

/** @param endSession path of the provider; undefined: it cannot end sessions */
async function opened(t: ExecutionContext, endSession: string | undefined, more: Partial<ConfigFile['oidc']> = {}) {
  const site = await startSigningProvider(t);
  site.endSession = endSession && site.issuer + endSession;
  const engine = await fakeEngine({ oidc: openIdFor(site.issuer, { redirectUri: CALLBACK, ...more }) });
  // Reads where the provider ends sessions.
  await engine.provider?.addressFor('', CALLBACK);
  const { send } = await openApi(t, northbound, engine);
  /** @returns the ID token, and the cookie that has it */
  const logIn = async (claims: Record<string, unknown> = {}) => {
    const { status, headers, idToken } = await logInAt(site, send, claims);
    t.is(status, 200);
    const header = /nodewright-oidc-id=[^,]*/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
    return { idToken, header, cookie: header.split(';')[0] ?? '' };
  };
  const leave = async (cookie?: string, query = '') => {
    const answer = await send('GET', `${LOGOUT}${query}`, { headers: cookie === undefined ? {} : { cookie } });
    t.is(answer.status, 303);
    return { url: new URL(answer.headers.get('location') ?? ''), headers: answer.headers };
  };
  return { site, send, logIn, leave };
}

test('a browser that logs out goes to the provider with the ID token of its log-in, once', async (t) => {
  const { site, send, logIn, leave } = await opened(t, '/end?tenant=a');
  t.true((await send('GET', '/login/methods')).body.oidc.endsSession);
  const { idToken, header, cookie } = await logIn();
  t.deepEqual(header.split('; ').slice(1), [`Path=${LOGOUT}`, 'HttpOnly', 'SameSite=Strict', 'Secure', 'Max-Age=3600']);
  const { url, headers } = await leave(cookie, '?state=s-1');
  t.is(url.origin + url.pathname, `${site.issuer}/end`);
  t.deepEqual(Object.fromEntries(url.searchParams), {
    tenant: 'a',
    client_id: 'console',
    post_logout_redirect_uri: CALLBACK,
    state: 's-1',
    id_token_hint: idToken,
  });
  t.regex(headers.get('set-cookie') ?? '', /^nodewright-oidc-id=;.*Max-Age=0$/);
  t.is(headers.get('referrer-policy'), 'no-referrer');
  t.is(headers.get('cache-control'), 'no-store');
});

test('the cookie does not disclose the ID token, and one of another origin or daemon is ignored', async (t) => {
  const { logIn, leave } = await opened(t, '/end');
  const { idToken, cookie } = await logIn();
  for (const part of idToken.split('.')) t.false(cookie.includes(part));
  const other = await (await opened(t, '/end')).logIn();
  for (const value of [undefined, `nodewright-oidc-id=${idToken}`, `${cookie.slice(0, -4)}AAAA`, other.cookie]) {
    const { url } = await leave(value);
    t.deepEqual([...url.searchParams.keys()], ['client_id', 'post_logout_redirect_uri'], value);
  }
});

test('an ID token that does not fit into a cookie is not kept, so the provider asks the user', async (t) => {
  const { logIn } = await opened(t, '/end');
  t.regex((await logIn({ picture: 'x'.repeat(4_000) })).header, /^nodewright-oidc-id=;.*Max-Age=0$/);
});

test('nothing in a request decides where a browser is sent, and a malformed state is 400', async (t) => {
  const { site, send } = await opened(t, '/end');
  for (const query of ['?state=a%20b', `?state=${'a'.repeat(129)}`])
    t.is((await send('GET', LOGOUT + query)).status, 400, query);
  const headers = { host: 'other.example', referer: 'https://other.example' };
  for (const query of ['', '?post_logout_redirect_uri=https://other.example', '?redirect_uri=//other.example']) {
    const url = new URL((await send('GET', LOGOUT + query, { headers })).headers.get('location') ?? '');
    t.is(url.origin, site.issuer);
    t.deepEqual(Object.fromEntries(url.searchParams), { client_id: 'console', post_logout_redirect_uri: CALLBACK });
  }
});

for (const [reason, endSession, more] of [
  ['the provider has no address for it', undefined, {}],
  ['endSession is false', '/end', { endSession: false }],
] as const)
  test(`a log-out stays here if ${reason}`, async (t) => {
    const { send, logIn, leave } = await opened(t, endSession, more);
    t.false((await send('GET', '/login/methods')).body.oidc.endsSession);
    const { header, cookie } = await logIn();
    t.regex(header, /^nodewright-oidc-id=;.*Max-Age=0$/);
    t.is((await leave(cookie, '?state=s')).url.href, CALLBACK);
  });

test('without a provider there is no such log-out', async (t) => {
  t.is((await (await openApi(t)).send('GET', LOGOUT)).status, 404);
});
