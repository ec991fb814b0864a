/** One account at the provider of OpenID Connect has one name here, whatever its tokens say. */
import test, { type ExecutionContext } from 'ava';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi } from '../support/servers/api.ts';
import { logInAt } from '../support/servers/browser-login.ts';
import { openIdFor, startSigningProvider } from '../support/servers/signing-provider.ts';

async function opened(t: ExecutionContext, more: Partial<ConfigFile['oidc']> = { userClaim: 'email' }) {
  const site = await startSigningProvider(t);
  const engine = await fakeEngine({ oidc: openIdFor(site.issuer, more) });
  const { send, as } = await openApi(t, northbound, engine);
  const nameOf = async (token: string) => (await send('GET', '/login/user', { token })).body.username;
  /** Claims of the access token that comes with the ID token. */
  const logIn = async (claims: Record<string, unknown>, access?: Record<string, unknown>) =>
    logInAt(site, send, claims, access && { access_token: await site.token(access) });
  return { site, engine, send, as, nameOf, logIn };
}

test('the first name of an account stays: in the console, of access tokens, and in the audit log', async (t) => {
  const { site, send, as, nameOf, logIn } = await opened(t);
  const console = await logIn({ email: 'ada@example.com' });
  const access = await site.token({ email: 'ada', jti: 'other' });
  t.is(await nameOf(console.body.token), 'oidc:ada@example.com');
  t.is(await nameOf(access), 'oidc:ada@example.com');
  t.is(await nameOf((await logIn({ email: 'ada@new.example' })).body.token), 'oidc:ada@example.com');
  t.is(await nameOf(await site.token({ sub: 'bob', email: 'bob@example.com' })), 'oidc:bob@example.com');
  t.is((await send('POST', '/api/current/nodes', { token: access, body: { type: 'compute', name: 'n' } })).status, 201);
  const { body: entries } = await send('GET', '/api/current/audit', { token: await as('Administrator', 'root') });
  t.deepEqual([...new Set(entries.map(({ user }: { user: string }) => user))], ['oidc:ada@example.com']);
});

test('an access token gives the name too, if it is the first', async (t) => {
  const { site, nameOf, logIn } = await opened(t);
  t.is(await nameOf(await site.token({ email: 'ada' })), 'oidc:ada');
  t.is(await nameOf((await logIn({ email: 'ada@example.com' })).body.token), 'oidc:ada');
});

test('nothing is stored of an account without a role, or where sub is the name', async (t) => {
  const { site, engine, nameOf } = await opened(t);
  t.is(await nameOf(await site.token({ email: 'ada', groups: ['guests'] })), undefined);
  t.deepEqual(await engine.stored('providernames'), []);
  t.is(await nameOf(await site.token({ email: 'ada@example.com' })), 'oidc:ada@example.com');
  t.is((await engine.stored('providernames')).length, 1);
  const bySub = await opened(t, {});
  t.is(await bySub.nameOf(await bySub.site.token()), 'oidc:ada');
  t.deepEqual(await bySub.engine.stored('providernames'), []);
});

test('a log-in whose two tokens name two users is rejected, and has no token', async (t) => {
  for (const more of [{}, { userClaim: 'email' }]) {
    const { send, as, logIn } = await opened(t, more);
    const user = { sub: '00u1', email: 'ada@example.com' };
    const { status, body, headers } = await logIn(user, { sub: 'ada', email: 'ada' });
    t.is(status, 403);
    t.is(body.code, 'OIDC_TWO_NAMES');
    t.is(headers.get('set-cookie'), null);
    t.is(body.token, undefined);
    const { body: entries } = await send('GET', '/api/current/audit', { token: await as('Administrator', 'root') });
    t.like(entries.at(-1), { user: null, path: '/login/oidc/code', status: 403 });
  }
});

for (const [reason, claims, access] of [
  ['both have the claim of the user', { sub: '00u1', email: 'ada' }, { sub: 'ada', email: 'ada' }],
  ['they differ in the claim, but are of one account', { email: 'a@example.com' }, { email: 'ada' }],
  ['the access token is for others', { sub: '00u1', email: 'ada' }, { aud: 'other', email: 'other' }],
  ['the access token names no user', { email: 'ada' }, {}],
] as const)
  test(`a log-in is accepted if ${reason}`, async (t) => {
    const { logIn } = await opened(t);
    t.is((await logIn({ ...claims }, { ...access })).status, 200);
  });
