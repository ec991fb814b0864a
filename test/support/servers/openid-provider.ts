/** A real provider of OpenID Connect (npm `oidc-provider`), which accepts every name and password. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { OpenIdFile } from '../../../engine/platform/config/openid-schema.ts';
import type { Scope } from '../ava/scope.ts';

/** The groups of its users; others have none. */
const groups: Record<string, readonly string[]> = { ada: ['staff', 'admins'], olga: ['ops'] };
const AUDIENCE = 'nodewright';
const RESOURCE = 'https://nodewright.test/api';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export interface TestProvider {
  /** On `localhost`: another site than a daemon at 127.0.0.1. */
  readonly issuer: string;
  /** The key `oidc` for it. */
  readonly config: OpenIdFile;
  /** Whether it answers. */
  isAway: boolean;
}

/** @param tokenSec how long its access tokens are valid */
export async function startOpenIdProvider(t: Scope, tokenSec = 300): Promise<TestProvider> {
  let handle: RequestListener = () => {};
  const server = createServer((request, response) => {
    if (provider.isAway) request.socket.destroy();
    else handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const config: OpenIdFile = {
    issuer,
    clientId: 'console',
    deviceClientId: 'nw',
    audience: AUDIENCE,
    scopes: ['groups'],
    roles: [
      { group: 'admins', role: 'Administrator' },
      { group: 'ops', role: 'Operator' },
    ],
  };
  const provider: TestProvider = { issuer, config, isAway: false };
  handle = new Provider(issuer, await configurationOf(tokenSec)).callback();
  return provider;
}

async function configurationOf(tokenSec: number): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of a test'] },
    scopes: ['openid', 'offline_access', 'groups'],
    claims: { openid: ['sub'], groups: ['groups'] },
    clients: [
      {
        client_id: 'console',
        // Its port may be any one (RFC 8252, 7.3).
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/ui/login'],
        post_logout_redirect_uris: ['http://127.0.0.1/ui/login'],
        token_endpoint_auth_method: 'none',
      },
      {
        client_id: 'nw',
        application_type: 'native',
        grant_types: [DEVICE_GRANT, 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'none',
      },
    ],
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, groups: [...(groups[accountId] ?? [])] }),
    }),
    extraTokenClaims: (_, token) => ('accountId' in token ? { groups: groups[token.accountId] ?? [] } : undefined),
    issueRefreshToken: (_, client) => client.clientId === 'nw',
    ttl: {
      AccessToken: tokenSec,
      Grant: 3_600,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: 3_600,
      Session: 3_600,
      DeviceCode: 600,
    },
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, client) => (client?.clientId === 'nw' ? RESOURCE : []),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'groups',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenSec,
        }),
      },
    },
  };
}
