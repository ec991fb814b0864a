/** A provider of OpenID Connect that publishes keys, and whose tokens a test signs as it likes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { readOpenId } from '../../../engine/platform/config/openid.ts';
import type { OpenIdFile } from '../../../engine/platform/config/openid-schema.ts';
import type { Scope } from '../ava/scope.ts';

export interface SigningProvider {
  readonly issuer: string;
  /** Those of the discovery document and of the keys. */
  requests: number;
  /** The text of the keys; undefined: it answers 503. */
  keys: string | undefined;
  /** The answer to an exchange of a code; undefined: the code is not valid. */
  exchanged: object | undefined;
  /** The address in its discovery document; undefined: it cannot end sessions. */
  endSession: string | undefined;
  /** Adds a key that signs from now on. */
  rotate(): Promise<void>;
  /** Claims and header replace the usual ones of an access token; undefined leaves one out. */
  token(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

export async function startSigningProvider(t: Scope): Promise<SigningProvider> {
  const published: object[] = [];
  let signing: { key: CryptoKey; kid: string } | undefined;
  const server = createServer((request, response) => {
    provider.requests += 1;
    response.statusCode = provider.keys === undefined ? 503 : 200;
    const { issuer } = provider;
    const addresses = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      end_session_endpoint: provider.endSession,
      id_token_signing_alg_values_supported: ['ES256', 'none', 'HS256'],
      // As Dex: its public clients authenticate by neither.
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    };
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/token')
      return response.end(request.url === '/keys' ? provider.keys : JSON.stringify(addresses));
    if (provider.exchanged === undefined) response.statusCode = 400;
    return response.end(JSON.stringify(provider.exchanged ?? { error: 'invalid_grant' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const provider: SigningProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    keys: '',
    exchanged: undefined,
    endSession: undefined,
    async rotate() {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      signing = { key: privateKey, kid: `key-${published.length}` };
      published.push({ ...(await exportJWK(publicKey)), kid: signing.kid, alg: 'ES256', use: 'sig' });
      provider.keys = JSON.stringify({ keys: published });
    },
    token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: provider.issuer, aud: 'nodewright', sub: 'ada', groups: ['ops'], iat: now, exp: now + 300 };
      const { kid, key } = signing ?? {};
      return new SignJWT({ ...usual, ...claims } as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header } as JWTHeaderParameters)
        .sign(key as CryptoKey);
    },
  };
  await provider.rotate();
  return provider;
}

const roles = [
  { group: 'ops', role: 'Operator' },
  { group: 'admins', role: 'Administrator' },
];

/** A configuration for it. */
export const openIdFor = (issuer: string, more: Partial<OpenIdFile> = {}): OpenIdFile => ({
  issuer,
  clientId: 'console',
  audience: 'nodewright',
  roles,
  ...more,
});

/** The same with its defaults. */
export function openIdConfigFor(issuer: string, more: Partial<OpenIdFile> = {}) {
  const config = readOpenId('test', openIdFor(issuer, more), (path) => path);
  if (config === undefined) throw new Error('there is no configuration');
  return config;
}
