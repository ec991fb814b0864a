/** Sessions that the provider of OpenID Connect ends: the log-ins of browsers by them end, too. */
import test, { type ExecutionContext } from 'ava';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi } from '../support/servers/api.ts';
import { logInAt } from '../support/servers/browser-login.ts';
import { openIdFor, startSigningProvider } from '../support/servers/signing-provider.ts';

const ENDPOINT = '/login/oidc/backchannel-logout';
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };

async function opened(t: ExecutionContext) {
  const site = await startSigningProvider(t);
  const engine = await fakeEngine({ oidc: openIdFor(site.issuer) });
  const { send, as } = await openApi(t, northbound, engine);
  const logIn = async (sid?: string): Promise<string> => (await logInAt(site, send, { sid })).body.token;
  const statusOf = async (token: string) => (await send('GET', '/login/user', { token })).status;
  const post = (raw: string, type = 'application/x-www-form-urlencoded') =>
    send('POST', ENDPOINT, { raw, headers: { 'content-type': type } });
  /** Claims replace the usual ones of a logout token. */
  const end = async (claims: Record<string, unknown> = {}, typ: string | undefined = 'logout+jwt') => {
    const usual = { aud: 'console', groups: undefined, jti: 'j', events, sid: 's' };
    return post(`logout_token=${await site.token({ ...usual, ...claims }, { typ })}`);
  };
  return { site, send, as, logIn, statusOf, post, end };
}

test('a logout token ends all log-ins of its session, also one that is completed later, and no other', async (t) => {
  const { site, send, as, logIn, statusOf, end } = await opened(t);
  const [one, two, other, none] = [await logIn('s'), await logIn('s'), await logIn('other'), await logIn()];
  const access = await site.token({ sid: 's' });
  for (const token of [one, two, other, none, access]) t.is(await statusOf(token), 200);
  const { status, body, headers } = await end();
  t.is(status, 200);
  t.deepEqual(body, {});
  t.is(headers.get('cache-control'), 'no-store');
  t.deepEqual(await Promise.all([one, two, await logIn('s')].map(statusOf)), [401, 401, 401]);
  // Its refresh token ends at the provider, or is for offline use.
  t.deepEqual(await Promise.all([other, none, access].map(statusOf)), [200, 200, 200]);
  t.is((await end()).status, 200, 'repeated');
  const { body: entries } = await send('GET', '/api/current/audit', { token: await as('Administrator', 'root') });
  t.like(entries.at(-1), { user: 'oidc:ada', method: 'POST', path: ENDPOINT, status: 200 });
});

for (const [reason, claims, typ] of [
  ['is an ID token', { events: undefined, nonce: 'n' }, 'JWT'],
  ['is an access token', { events: undefined, aud: 'nodewright' }, 'at+jwt'],
  ['has the type of an access token', {}, 'at+jwt'],
  ['has a nonce', { nonce: 'n' }, 'logout+jwt'],
  ['has another event', { events: { 'https://example.com/event': {} } }, 'logout+jwt'],
  ['has an event that is no object', { events: Object.keys(events) }, 'logout+jwt'],
  ['has no events', { events: undefined }, 'logout+jwt'],
  ['names no session', { sid: undefined }, 'logout+jwt'],
  ['names a session by a number', { sid: 7 }, 'logout+jwt'],
  ['is for another client', { aud: 'other' }, 'logout+jwt'],
  ['is of another provider', { iss: 'https://other.example' }, 'logout+jwt'],
  ['has ended', { exp: 1 }, 'logout+jwt'],
  ['has no end', { exp: undefined }, 'logout+jwt'],
] as const)
  test(`a token ends nothing if it ${reason}`, async (t) => {
    const { logIn, statusOf, end } = await opened(t);
    const token = await logIn('s');
    const { status, body } = await end(claims, typ);
    t.is(status, 400);
    t.is(body.code, 'INVALID');
    t.is(await statusOf(token), 200);
  });

test('a request without a signed token is rejected, whatever it is', async (t) => {
  const { site, post } = await opened(t);
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const [, claims] = (await site.token({ aud: 'console', jti: 'j', events, sid: 's' })).split('.');
  for (const form of ['', 'logout_token=', 'logout_token=a&logout_token=b', `logout_token=${none}.${claims}.`, 'a=b'])
    t.is((await post(form)).status, 400, form);
  t.is((await post('{}', 'application/json')).status, 415);
  t.is((await post(`logout_token=${'a'.repeat(20_000)}`)).status, 413);
  t.is((await (await openApi(t)).send('POST', ENDPOINT)).status, 404);
});

test('while the provider is away, a logout token with an unknown key is 503', async (t) => {
  const { site, end } = await opened(t);
  site.keys = undefined;
  t.is((await end()).status, 503);
});
