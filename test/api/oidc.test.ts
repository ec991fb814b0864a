/** Requests with access tokens of a provider of OpenID Connect. */
import test, { type ExecutionContext } from 'ava';
import { decodeJwt } from 'jose';
import { credentialOf, issueProviderToken, issueToken } from '../../api/auth/tokens.ts';
import type { ConfigFile } from '../../engine/platform/config/config.ts';
import { fakeEngine } from '../support/engine/fake-engine.ts';
import { northbound, openApi, PASSWORD } from '../support/servers/api.ts';
import { openIdFor, startSigningProvider } from '../support/servers/signing-provider.ts';

async function opened(t: ExecutionContext, more: Partial<ConfigFile['oidc']> = {}) {
  const site = await startSigningProvider(t);
  const engine = await fakeEngine({ oidc: openIdFor(site.issuer, more) });
  // Behind a proxy, for tests with an address of their own: failures are counted for the whole process.
  return { site, ...(await openApi(t, { ...northbound, proxiesEnabled: true }, engine)) };
}

test('the groups of an access token have roles, and a user without one is 403', async (t) => {
  const { site, send } = await opened(t);
  const operator = await site.token();
  const { status, body } = await send('GET', '/login/user', { token: operator });
  t.is(status, 200);
  t.deepEqual(body, {
    username: 'oidc:ada',
    privileges: ['Login', 'ConfigureComponents', 'ConfigureSelf'],
    isFirstUser: false,
  });
  t.is((await send('GET', '/api/current/users', { token: operator })).status, 403);
  t.is((await send('GET', '/api/current/users', { token: await site.token({ groups: ['admins'] }) })).status, 200);
  for (const claims of [{ groups: [] }, { groups: undefined }, { groups: ['guests'] }]) {
    const rejected = await send('GET', '/api/current/nodes', { token: await site.token(claims) });
    t.is(rejected.status, 403);
    t.is(rejected.body.code, 'FORBIDDEN');
  }
});

test('a token of the provider that is not valid has the message of every other', async (t) => {
  const { site, send } = await opened(t);
  for (const claims of [{ exp: 1 }, { aud: 'another' }, { nonce: 'n', typ: 'ID' }, { iss: 'https://other.example' }]) {
    const { status, body } = await send('GET', '/api/current/nodes', {
      token: await site.token(claims, { typ: 'JWT' }),
    });
    t.is(status, 401);
    t.deepEqual(body, { message: 'invalid signature' });
  }
});

test('while the provider is away, a token with an unknown key is 503 with a code and Retry-After', async (t) => {
  const { site, send } = await opened(t);
  site.keys = undefined;
  const { status, body, headers } = await send('GET', '/api/current/nodes', { token: await site.token() });
  t.is(status, 503);
  t.is(body.code, 'OIDC_UNAVAILABLE');
  t.is(headers.get('retry-after'), '5');
});

test('a user of the provider is not the local user of that name, and the audit log tells them apart', async (t) => {
  const { site, send, as } = await opened(t);
  await as('Administrator', 'ada');
  const token = await site.token();
  t.is((await send('GET', '/api/current/users/ada', { token })).status, 403);
  t.is((await send('POST', '/api/current/users/ada/tokens', { token, body: { note: 'n' } })).status, 403);
  t.is((await send('POST', '/api/current/nodes', { token, body: { type: 'compute', name: 'n' } })).status, 201);
  const root = await as('Administrator', 'root');
  const { body: entries } = await send('GET', '/api/current/audit', { token: root });
  t.deepEqual(
    entries.map(({ user }: { user: string }) => user),
    Array(3).fill('oidc:ada'),
  );
  const name = 'oidc:ada';
  const made = await send('POST', '/api/current/users', {
    token: root,
    body: { username: name, password: PASSWORD, role: 'ReadOnly' },
  });
  t.is(made.status, 400);
});

test('a log-out ends an access token of the provider in this daemon', async (t) => {
  const { site, send } = await opened(t);
  const [token, other] = [await site.token(), await site.token({ jti: 'other' })];
  t.is((await send('DELETE', '/login', { token })).status, 204);
  t.is((await send('GET', '/login/user', { token })).status, 401);
  t.is((await send('GET', '/login/user', { token: other })).status, 200);
});

test('local users log in beside the provider, unless they are switched off with their tokens and sessions', async (t) => {
  const withBoth = await opened(t);
  const local = await withBoth.as('Administrator', 'root');
  t.is((await withBoth.send('GET', '/login/user', { token: local })).status, 200);
  t.like((await withBoth.send('GET', '/login/methods')).body, { password: true, oidc: { clientId: 'console' } });

  const { site, send, as, session, engine } = await opened(t, { localUsers: false });
  t.is(
    (await send('POST', '/api/current/users', { body: { username: 'a', password: PASSWORD, role: 'Administrator' } }))
      .status,
    401,
  );
  const token = await as('Administrator', 'root');
  const user = await engine.users.get('root');
  const grant = { username: 'root', note: 'n', privileges: ['Read'] as const, parent: null };
  const api = await engine.apiTokens.create({ ...grant, credential: user ? credentialOf(user) : '' }, undefined);
  t.is((await send('GET', '/login/user', { token })).status, 401);
  t.is((await send('GET', '/login/user', { token: api.token })).status, 401);
  const headers = { 'x-auth-token': await session('Administrator', 'root') };
  t.is((await send('GET', '/redfish/v1/SessionService/Sessions', { headers })).status, 401);
  for (const [path, body] of [
    ['/login', { username: 'root', password: PASSWORD }],
    ['/redfish/v1/SessionService/Sessions', { UserName: 'root', Password: PASSWORD }],
  ] as const) {
    const rejected = await send('POST', path, { body });
    t.is(rejected.status, 403);
    t.is(rejected.body.code, 'LOCAL_USERS_OFF');
  }
  t.is((await send('GET', '/login/user', { token: await site.token() })).status, 200);
  t.false((await send('GET', '/login/methods')).body.password);
});

test('a log-in of a browser begins with an address that has PKCE, and a code of another browser is rejected', async (t) => {
  const { site, send } = await opened(t, { redirectUri: 'https://daemon.example/ui/login' });
  const begun = await send('POST', '/login/oidc');
  t.is(begun.status, 200);
  const url = new URL(begun.body.url);
  t.is(url.origin, site.issuer);
  t.like(Object.fromEntries(url.searchParams), {
    client_id: 'console',
    redirect_uri: 'https://daemon.example/ui/login',
    response_type: 'code',
    scope: 'openid',
    code_challenge_method: 'S256',
  });
  const [cookie = '', ...attributes] = (begun.headers.get('set-cookie') ?? '').split('; ');
  t.deepEqual(attributes, ['Path=/login', 'HttpOnly', 'SameSite=Strict', 'Secure', 'Max-Age=600']);
  for (const value of url.searchParams.values()) t.false(cookie.includes(value));
  const state = url.searchParams.get('state');
  const answers = [
    { headers: {}, body: { code: 'c', state } },
    { headers: { cookie: `nodewright-oidc=${'A'.repeat(43)}` }, body: { code: 'c', state } },
    { headers: { cookie }, body: { code: 'c', state: 'another' } },
    { headers: { cookie }, body: { code: 'c', state, iss: 'https://other.example' } },
  ];
  for (const answer of answers) {
    const { status, body } = await send('POST', '/login/oidc/code', answer);
    t.is(status, 401, JSON.stringify(answer));
    t.is(body.code, 'OIDC_REJECTED');
  }
});

test('the ID token of a log-in has to fit it; the user then has a session, and an entry in the audit log', async (t) => {
  const { site, send } = await opened(t);
  const begun = await send('POST', '/login/oidc');
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const { nonce, state } = Object.fromEntries(new URL(begun.body.url).searchParams);
  const headers = { cookie, 'x-forwarded-for': '192.0.2.41' };
  const exchange = () => send('POST', '/login/oidc/code', { headers, body: { code: 'c', state } });
  const complete = (id_token: string) => {
    site.exchanged = { access_token: 'opaque', token_type: 'Bearer', id_token };
    return exchange();
  };
  const usual = { aud: 'console', nonce, groups: ['admins'] };
  const none = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const unsigned = { ...usual, iss: site.issuer, sub: 'ada', iat: now, exp: now + 60 };
  const invalid = [
    await site.token({ ...usual, nonce: 'another' }, { typ: 'JWT' }),
    await site.token({ ...usual, nonce: undefined }, { typ: 'JWT' }),
    await site.token({ ...usual, aud: 'nodewright' }, { typ: 'JWT' }),
    await site.token({ ...usual, iss: 'https://other.example' }, { typ: 'JWT' }),
    await site.token({ ...usual, exp: now - 60 }, { typ: 'JWT' }),
    await site.token(usual, { typ: 'JWT', kid: 'unknown' }),
    `${none({ alg: 'none' })}.${none(unsigned)}.`,
    `${(await site.token(usual, { typ: 'JWT' })).slice(0, -8)}AAAAAAAA`,
  ];
  const messages: string[] = [];
  for (const token of invalid) {
    const { status, body } = await complete(token);
    t.is(status, 401, token);
    t.is(body.code, 'OIDC_REJECTED');
    messages.push(body.message);
  }
  t.regex(messages[2] ?? '', /"aud"/);
  t.regex(messages[5] ?? '', /no signature by a key that the provider publishes/);
  const rejected = await complete(await site.token({ ...usual, groups: ['guests'] }, { typ: 'JWT' }));
  t.is(rejected.status, 403);
  t.like(rejected.body, {
    code: 'OIDC_NO_ROLE',
    message: 'No group of this user has a role here (groups in the claim groups: 1)',
  });
  const done = await complete(await site.token(usual, { typ: 'JWT' }));
  t.is(done.status, 200);
  const { token } = done.body;
  t.like(decodeJwt(token), { user: 'oidc:ada', role: 'Administrator', groups: ['admins'] });
  t.regex(done.headers.get('set-cookie') ?? '', /nodewright-session=.*nodewright-oidc=;.*Max-Age=0/);
  const { body: entries } = await send('GET', '/api/current/audit', { token });
  t.like(entries.at(-1), { user: 'oidc:ada', path: '/login/oidc/code', status: 200 });
  site.exchanged = undefined;
  t.regex((await exchange()).body.message, /invalid_grant/);
  t.is((await exchange()).status, 401, 'the tenth');
  t.is((await exchange()).status, 429);
});

test('a login token for a user of the provider ends with another provider, and cannot be one of a local user', async (t) => {
  const { engine, send, as } = await opened(t);
  const { provider } = engine;
  if (provider === undefined) return t.fail();
  const user = { username: 'oidc:ada', groups: ['admins'] };
  const token = await issueProviderToken(engine, provider, user);
  t.like(decodeJwt(token), { user: 'oidc:ada', role: 'Administrator', groups: ['admins'] });
  t.is((await send('GET', '/api/current/users', { token })).status, 200);
  const other = { config: provider.config, credential: 'another', roleOf: () => 'Administrator' };
  const stale = await issueProviderToken(engine, { ...provider, ...other }, user);
  t.is((await send('GET', '/login/user', { token: stale })).status, 401);
  await as('ReadOnly', 'bob');
  const bob = await engine.users.get('bob');
  if (bob === undefined) return t.fail();
  t.is(
    (await send('GET', '/login/user', { token: await issueToken(engine, { ...bob, username: 'oidc:bob' }) })).status,
    401,
  );
});

test('without a provider there is only the password', async (t) => {
  const { send } = await openApi(t);
  t.deepEqual((await send('GET', '/login/methods')).body, { password: true, oidc: null });
  for (const [path, body] of [
    ['/login/oidc', undefined],
    ['/login/oidc/code', { code: 'c', state: 's' }],
  ] as const)
    t.is((await send('POST', path, { body })).status, 404);
});
