/** /login/oidc/logout, /login/oidc/backchannel-logout: the end of a log-in here and of its session at the provider, each by the other. */
import { parse } from 'node:querystring';
import { Type } from 'typebox';
import { bodyTooLong, limitedText } from '../../engine/vocabulary/byte-limits.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';
import { providerOf, redirectUriOf } from '../auth/configured-provider.ts';
import { CREDENTIALS_LIMIT } from '../auth/credentials.ts';
import { idTokenCookie, idTokenOf, LOGOUT_PATH } from '../auth/id-token-cookie.ts';
import { route } from '../http/route.ts';

export const providerLogoutRoutes = [
  route({
    id: 'endProviderSession',
    summary:
      'Send a browser that has logged out to the provider, which ends its session and sends it back to /ui/login',
    method: 'GET',
    path: LOGOUT_PATH,
    base: 'root',
    resourceGroup: 'open',
    query: Type.Object({
      state: Type.Optional(Type.String({ pattern: '^[\\w-]{1,128}$', description: 'returned to the console' })),
    }),
    headers: { 'Referrer-Policy': 'no-referrer' },
    answer: { status: 303 },
    rejections: { 404: 'No provider is configured' },
    handle: async (call) => {
      const provider = providerOf(call.engine);
      const redirectUri = redirectUriOf(provider, call);
      const [{ state }, idToken] = [call.query, await idTokenOf(call)];
      const hint = { ...(state !== undefined && { state }), ...(idToken !== undefined && { idToken }) };
      // Without an address, the browser comes back from here.
      const address = provider.logoutAddress({ redirectUri, ...hint }) ?? redirectUri;
      return {
        headers: { Location: address, 'Set-Cookie': await idTokenCookie(call.engine, undefined, redirectUri) },
      };
    },
  }),
  route({
    id: 'endSessionLogins',
    summary: 'Receive a logout token of the provider: the log-ins of browsers by that session end, in all daemons',
    method: 'POST',
    path: '/login/oidc/backchannel-logout',
    base: 'root',
    resourceGroup: 'open',
    audited: true,
    upload: { types: ['application/x-www-form-urlencoded'], limit: 'bodyLimit' },
    answer: { status: 200, schema: Type.Object({}) },
    rejections: { 404: 'No provider is configured', 503: 'The provider does not answer' },
    handle: async ({ engine, upload, notes }) => {
      const provider = providerOf(engine);
      const form = parse(await limitedText(upload(), CREDENTIALS_LIMIT, bodyTooLong(CREDENTIALS_LIMIT)));
      const { session, username } = await provider.endedSession(String(form.logout_token ?? ''));
      if (username !== undefined) notes.user = username;
      await engine.endedTokens.add(session, new Date(Date.now() + LONGEST_LOGIN_MS).toISOString());
      return { body: {} };
    },
  }),
];

/** The maximum of `oidc.sessionSec`: another daemon may have another value. */
const LONGEST_LOGIN_MS = DAY_MS;
