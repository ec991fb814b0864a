/** Tokens that say that they are of the provider, most of them made by an attacker. */
import { createPublicKey } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { generateKeyPair, SignJWT } from 'jose';
import type { OpenIdFile } from '../../../../engine/platform/config/openid-schema.ts';
import { OpenIdProvider } from '../../../../engine/platform/openid/provider.ts';
import { isObject } from '../../../../engine/vocabulary/json.ts';
import {
  openIdConfigFor,
  type SigningProvider,
  startSigningProvider,
} from '../../../support/servers/signing-provider.ts';

async function opened(t: ExecutionContext, more: Partial<OpenIdFile> = {}) {
  const site = await startSigningProvider(t);
  const provider = new OpenIdProvider(openIdConfigFor(site.issuer, more));
  t.teardown(() => provider.close());
  return { site, provider };
}

const nowSec = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token of the provider names its user, with a name that no local user can have, and the groups that have a role', async (t) => {
  const { site, provider } = await opened(t);
  const token = await site.token({ groups: ['guests', 'ops', 'admins', 'ops'] });
  t.true(provider.claimsIssuer(token));
  t.like(await provider.verify(token), { username: 'oidc:ada', groups: ['ops', 'admins'] });
  t.is(provider.roleOf(['admins', 'ops']), 'Operator');
  t.is(provider.roleOf([]), undefined);
});

test('a wrong issuer, audience, time, type or binding makes a token invalid', async (t) => {
  const { site, provider } = await opened(t);
  const wrong: [object, object?][] = [
    [{ iss: 'https://other.example' }],
    [{ iss: undefined }],
    [{ aud: 'another' }],
    [{ aud: undefined }],
    [{ aud: [] }],
    [{ exp: nowSec() - 31 }],
    [{ exp: undefined }],
    [{ nbf: nowSec() + 60 }],
    [{ sub: undefined }],
    [{ cnf: { jkt: 'a' } }],
    [{ nonce: 'n' }, { typ: 'JWT' }],
    [{ at_hash: 'h' }, { typ: undefined }],
    [{ typ: 'ID' }, { typ: 'JWT' }],
    [{ typ: 'Refresh' }, { typ: 'JWT' }],
    [{ events: {} }, { typ: 'JWT' }],
    [{}, { typ: 'logout+jwt' }],
    [{}, { typ: 'dpop+jwt' }],
  ];
  for (const [claims, header] of wrong)
    t.is(await provider.verify(await site.token({ ...claims }, header)), undefined, JSON.stringify([claims, header]));
  for (const claims of [{ exp: nowSec() - 25 }, { nbf: nowSec() + 25 }, { aud: ['another', 'nodewright'] }])
    t.truthy(await provider.verify(await site.token(claims)), JSON.stringify(claims));
  t.truthy(await provider.verify(await site.token({ typ: 'Bearer' }, { typ: 'JWT' })), 'as Keycloak does');
});

test('each token that gives no rights is noted with the reason, and one of the daemon is not', async (t) => {
  const site = await startSigningProvider(t);
  const reasons: string[] = [];
  const note = (reason: string) => void reasons.push(reason);
  const provider = new OpenIdProvider(openIdConfigFor(site.issuer), () => {}, note);
  t.teardown(() => provider.close());
  await provider.verify(await site.token());
  t.false(provider.claimsIssuer(await site.token({ iss: undefined })));
  t.deepEqual(reasons, []);
  t.false(provider.claimsIssuer(await site.token({ iss: 'https://sts.windows.net/t/' })));
  await provider.verify(await site.token({ aud: 'account' }));
  await provider.verify(await site.token({ groups: ['/ops'] }));
  t.is(reasons.length, 3);
  t.regex(reasons[0] ?? '', /^its iss is "https:\/\/sts\.windows\.net\/t\/"; expected/);
  t.is(reasons[1], 'its aud is "account"; expected "nodewright"');
  t.regex(reasons[2] ?? '', /^No group of this user/);
});

test('ID tokens are accepted only where the configuration says so', async (t) => {
  const { site, provider } = await opened(t, { idTokens: true });
  t.truthy(await provider.verify(await site.token({ nonce: 'n', at_hash: 'h' }, { typ: 'JWT' })));
});

test('no signature, one by a public key, and one by another key are none', async (t) => {
  const { site, provider } = await opened(t);
  const claims = { iss: site.issuer, aud: 'nodewright', sub: 'eve', groups: ['admins'], exp: nowSec() + 300 };
  const jwk = JSON.parse(site.keys ?? '').keys[0];
  const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const signed = (key: Parameters<SignJWT['sign']>[0], header: object) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: jwk.kid, ...header }).sign(key);
  const { privateKey } = await generateKeyPair('ES256');
  const forged = [
    `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
    `${encoded({ alg: 'none', kid: jwk.kid, typ: 'at+jwt' })}.${encoded(claims)}.AA`,
    await signed(Buffer.from(pem), {}),
    await signed(Buffer.from(JSON.stringify(jwk)), {}),
    await signed(privateKey, { alg: 'ES256' }),
    // With its own key in the header.
    await signed(privateKey, { alg: 'ES256', jwk }),
  ];
  for (const token of forged) {
    t.true(provider.claimsIssuer(token), token);
    t.is(await provider.verify(token), undefined, token);
  }
});

test('no change of a valid token leaves it valid', async (t) => {
  const { site, provider } = await opened(t);
  const token = await site.token();
  const [header = '', payload = '', signature = ''] = token.split('.');
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(...'AQgwx_-'), async (at, character) => {
      const signed = `${header}.${payload}`;
      const place = at % signed.length;
      const changed = `${signed.slice(0, place)}${character}${signed.slice(place + 1)}.${signature}`;
      if (changed !== token) t.is(await provider.verify(changed).catch(() => 'away'), undefined);
    }),
    { numRuns: 200 },
  );
});

test('claims of any shape and size give a printable name and configured groups, or no user', async (t) => {
  const { site, provider } = await opened(t, { userClaim: 'name', groupsClaim: 'access.groups' });
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('ops', ['ops'], { length: 1 }, [['ops']], [null, 'admins']),
  );
  await fc.assert(
    fc.asyncProperty(anything, anything, fc.object(), async (name, groups, more) => {
      const noise = isObject(more) ? more : {};
      const token = await site.token({ ...noise, ...valid(site), name, access: { groups } });
      const user = await provider.verify(token);
      if (user === undefined) return;
      t.regex(user.username, /^oidc:[^\p{C}]{1,255}$/u);
      t.true(user.groups.every((group) => ['ops', 'admins'].includes(group)));
    }),
    { numRuns: 200 },
  );
  const many = Array.from({ length: 500 }, (_, at) => `group-${at}`);
  const huge = await site.token({ name: 'ada', access: { groups: [...many, 'admins'] } });
  t.like(await provider.verify(huge), { groups: ['admins'] });
  t.false(provider.claimsIssuer(await site.token({ name: 'ada', noise: 'x'.repeat(20_000) })), 'longer than a header');
  for (const name of ['', ' ada', 'a\nb', 'a\u202eb', 'a'.repeat(256), 7, null, ['ada'], '\ud800'])
    t.is(await provider.verify(await site.token({ name })), undefined, JSON.stringify(name));
});

const valid = ({ issuer }: SigningProvider) => ({
  iss: issuer,
  aud: 'nodewright',
  sub: 'ada',
  exp: nowSec() + 300,
  nbf: undefined,
  cnf: undefined,
});

test('prototypes are no claims', async (t) => {
  const { site, provider } = await opened(t, { userClaim: 'constructor.name', groupsClaim: '__proto__.groups' });
  t.is(await provider.verify(await site.token()), undefined);
});
