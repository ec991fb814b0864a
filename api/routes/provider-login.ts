/** /login/methods, /login/oidc: the log-in of a browser at the provider of OpenID Connect. */
import { Type } from 'typebox';
import type { Provider } from '../../engine/api-port/index.ts';
import { orNull } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { attemptsOn } from '../auth/attempts.ts';
import { providerOf, redirectUriOf } from '../auth/configured-provider.ts';
import { CREDENTIALS_LIMIT } from '../auth/credentials.ts';
import { idTokenCookie, LOGOUT_PATH } from '../auth/id-token-cookie.ts';
import { tokenIdOf } from '../auth/login-claims.ts';
import { flowCookie, flowSecretOf, newFlowSecret } from '../auth/login-flow.ts';
import { namedLogin } from '../auth/named-login.ts';
import { sessionCookie } from '../auth/session-cookie.ts';
import { admitsLocalUsers, anyPrivileges, issueProviderToken, rightsOf } from '../auth/tokens.ts';
import { MissingPrivilege } from '../http/rejections.ts';
import { entry, holdsOne } from '../http/rights.ts';
import { type Call, route } from '../http/route.ts';

const methodsRecord = Type.Object(
  {
    password: Type.Boolean({ description: 'Users of this daemon may log in' }),
    oidc: orNull(
      Type.Object({
        issuer: Type.String(),
        clientId: Type.String({ description: 'For the device authorization flow' }),
        scopes: Type.Array(Type.String()),
        idTokens: Type.Boolean({ description: 'ID tokens are accepted as access tokens' }),
        endsSession: Type.Boolean({
          description: `A browser that logs out goes to \`${LOGOUT_PATH}\`, to end the session at the provider`,
        }),
      }),
    ),
  },
  { title: 'LoginMethods' },
);

const loginAnswer = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 4_096 }),
    state: Type.String({ minLength: 1, maxLength: 1_024 }),
    iss: Type.Optional(Type.String({ maxLength: 2_048 })),
  },
  { additionalProperties: false },
);

export const providerLoginRoutes = [
  route({
    id: 'listLoginMethods',
    summary: 'Get the ways to log in',
    method: 'GET',
    path: '/login/methods',
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: methodsRecord },
    handle: async ({ engine }) => {
      const { provider } = engine;
      const oidc = provider === undefined ? null : methodOf(provider);
      return { body: { password: admitsLocalUsers(engine), oidc } };
    },
  }),
  route({
    id: 'beginProviderLogin',
    summary: 'Begin a log-in of a browser at the provider: sets a cookie, and returns the address to go to',
    method: 'POST',
    path: '/login/oidc',
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: Type.Object({ url: Type.String() }) },
    rejections: { 404: 'No provider is configured', 503: 'The provider does not answer' },
    handle: async (call) => {
      const provider = providerOf(call.engine);
      const [secret, redirectUri] = [newFlowSecret(), redirectUriOf(provider, call)];
      const url = await provider.addressFor(secret, redirectUri);
      return { body: { url }, headers: { 'Set-Cookie': flowCookie(secret, redirectUri) } };
    },
  }),
  route({
    id: 'completeProviderLogin',
    summary: 'Exchange the code that the provider gave the browser for a token; also sets the cookie of a session',
    method: 'POST',
    path: '/login/oidc/code',
    base: 'root',
    resourceGroup: 'open',
    entry,
    body: loginAnswer,
    bodyLimit: CREDENTIALS_LIMIT,
    answer: { status: 200, schema: Type.Object({ token: Type.String() }) },
    rejections: {
      401: 'The code is not valid, or another browser began the log-in',
      403: 'The groups of the user have no role that may log in, or the tokens name two users',
      404: 'No provider is configured',
      429: 'Too many log-ins that were not valid',
      503: 'The provider does not answer',
    },
    handle: async (call) => {
      const { engine, body, notes } = call;
      const provider = providerOf(engine);
      const redirectUri = redirectUriOf(provider, call);
      const login = await countingInvalid(call, () => provider.complete(flowSecretOf(call), redirectUri, body));
      const user = await namedLogin(engine, login);
      notes.user = user.username;
      if (user.lack !== undefined) throw new NodewrightError('OIDC_NO_ROLE', user.lack);
      const [role, bindings] = [provider.roleOf(user.groups), provider.bindingsOf(user.groups)];
      if (!holdsOne(anyPrivileges(await rightsOf(engine, { role, bindings })), entry))
        throw new MissingPrivilege(entry);
      const token = await issueProviderToken(engine, provider, user);
      notes.tokenId = tokenIdOf(token);
      const cookies = [
        ...Object.values(sessionCookie(token, call)),
        flowCookie(undefined, redirectUri),
        await idTokenCookie(engine, provider.endsSessions ? user.idToken : undefined, redirectUri),
      ];
      return { body: { token }, headers: { 'Set-Cookie': cookies } };
    },
  }),
];

const methodOf = (provider: Provider) => ({
  issuer: provider.config.issuer,
  clientId: provider.config.deviceClientId,
  scopes: provider.config.scopes,
  idTokens: provider.config.idTokens,
  endsSession: provider.endsSessions,
});

/** Counts what is not valid like wrong passwords: each try is a request to the provider. */
async function countingInvalid<T>(
  { address, engine }: Pick<Call, 'address' | 'engine'>,
  complete: () => Promise<T>,
): Promise<T> {
  const attempts = attemptsOn(engine);
  const keys = [`address ${address}`];
  attempts.rejectTooMany(keys);
  try {
    return await complete();
  } catch (error) {
    if (error instanceof NodewrightError && error.code === 'OIDC_REJECTED') attempts.countWrong(keys);
    throw error;
  }
}
