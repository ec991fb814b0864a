/** Why tokens of real providers are not accepted. Header and claims are those that the providers give, shortened. */
import test from 'ava';
import { roleDefect, tokenDefect } from '../../../../engine/platform/openid/token-defects.ts';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: object, header: object = {}) =>
  `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'k', ...header })}.${encoded(claims)}.c2ln`;

const tenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
const entra = {
  issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
  audience: '11111111-2222-3333-4444-555555555555',
  idTokens: false,
};
const keycloak = { issuer: 'https://sso.example.com/realms/ops', audience: 'nodewright', idTokens: false };
const okta = { issuer: 'https://example.okta.com/oauth2/default', audience: 'api://nodewright', idTokens: false };

test('a token of Entra ID with the issuer of version 1, or for the Graph, names what differs', (t) => {
  const iss = `https://sts.windows.net/${tenant}/`;
  t.is(
    tokenDefect(tokenOf({ iss, aud: entra.audience, ver: '1.0' }), entra),
    `its iss is "${iss}"; expected "${entra.issuer}"`,
  );
  const graph = tokenOf({ iss: entra.issuer, aud: '00000003-0000-0000-c000-000000000000' }, { nonce: 'n' });
  t.is(tokenDefect(graph, entra), `its aud is "00000003-0000-0000-c000-000000000000"; expected "${entra.audience}"`);
});

test('an access token of the org authorization server of Okta names its issuer', (t) => {
  const token = tokenOf({ iss: 'https://example.okta.com', aud: 'https://example.okta.com', sub: 'ada@example.com' });
  t.is(tokenDefect(token, okta), `its iss is "https://example.okta.com"; expected "${okta.issuer}"`);
  const org = { ...okta, issuer: 'https://example.okta.com', audience: 'https://example.okta.com' };
  const internal = tokenOf({ iss: org.issuer, aud: org.audience }, { typ: 'application/okta-internal-at+jwt' });
  t.regex(tokenDefect(internal, org), /another purpose \(typ "application\/okta-internal-at\+jwt"\)/);
});

test('a token of Authentik without a slash at the end of its issuer, or signed by the secret of the client, is named', (t) => {
  const authentik = { issuer: 'https://a.example/application/o/nw', audience: 'nw', idTokens: false };
  const claims = { iss: 'https://a.example/application/o/nw/', aud: 'nw' };
  t.is(tokenDefect(tokenOf(claims), authentik), `its iss is "${claims.iss}"; expected "${authentik.issuer}"`);
  t.regex(tokenDefect(tokenOf(claims, { alg: 'HS256' }), authentik), /signed by "HS256"; expected an asymmetric/);
});

test('an ID token of Keycloak and Dex, one without the audience, and one that has ended are named', (t) => {
  const claims = { iss: keycloak.issuer, aud: 'nodewright', sub: 's', typ: 'Bearer', exp: 32_503_680_000 };
  t.regex(tokenDefect(tokenOf({ ...claims, typ: 'ID', at_hash: 'h' }), keycloak), /it is an ID token.*typ "ID"/);
  t.regex(tokenDefect(tokenOf({ ...claims, typ: undefined, at_hash: 'h' }, { typ: undefined }), keycloak), /ID token/);
  t.is(tokenDefect(tokenOf({ ...claims, aud: 'account' }), keycloak), 'its aud is "account"; expected "nodewright"');
  t.is(tokenDefect(tokenOf({ ...claims, aud: undefined }), keycloak), 'its aud is absent; expected "nodewright"');
  t.is(tokenDefect(tokenOf({ ...claims, exp: 1 }), keycloak), 'it ended at 1970-01-01T00:00:01.000Z');
  t.regex(tokenDefect(tokenOf({ ...claims, cnf: { jkt: 'a' } }), keycloak), /\(cnf\)/);
  t.regex(tokenDefect(tokenOf(claims), keycloak), /no signature by a key that the provider publishes/);
  t.regex(
    tokenDefect(tokenOf(claims), { issuer: keycloak.issuer, idTokens: false }),
    /^its aud is "nodewright"; expected oidc\.audience/,
  );
});

test('an opaque token is named so, and claims of any size are short', (t) => {
  for (const token of ['', 'ya29.opaque', '..', 'a.b.c']) t.regex(tokenDefect(token, keycloak), /^it is opaque/, token);
  t.true(tokenDefect(tokenOf({ iss: 'x'.repeat(10_000) }), keycloak).length < 500);
  t.regex(tokenDefect(tokenOf({ iss: keycloak.issuer, aud: 'nodewright', exp: -1e300 }), keycloak), /^it ended/);
});

test('a token with too many groups of Entra ID says so', (t) => {
  const sources = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } };
  t.regex(roleDefect(tokenOf(sources)), /too many groups/);
  t.regex(roleDefect(tokenOf({ groups: ['a'] })), /none of its groups/);
  t.regex(roleDefect('opaque'), /none of its groups/);
});
