/** /login: exchanges a password for a token, tells whose it is, and ends it. */
import { Type } from 'typebox';
import { orNull, words } from '../../engine/api-port/schemas.ts';
import { privileges } from '../../engine/vocabulary/roles.ts';
import { authenticate, CREDENTIALS_LIMIT } from '../auth/credentials.ts';
import { tokenIdOf } from '../auth/login-claims.ts';
import { sessionCookie, tokenOfSession } from '../auth/session-cookie.ts';
import { anyPrivileges, identify, issueToken } from '../auth/tokens.ts';
import { UnauthorizedError } from '../http/rejections.ts';
import { entry } from '../http/rights.ts';
import { route } from '../http/route.ts';

const credentials = Type.Object({ username: Type.String(), password: Type.String() });

const grantRecord = Type.Object({
  team: Type.String(),
  privileges: Type.Array(words(privileges)),
  graphs: Type.Optional(Type.Array(Type.String())),
});

const sessionRecord = Type.Object(
  {
    username: orNull(Type.String({ description: 'null: the endpoint needs no token, or no user exists yet' })),
    privileges: Type.Array(words(privileges), {
      description: 'on the whole site, or on the nodes of one of the teams',
    }),
    onSite: Type.Optional(
      Type.Array(words(privileges), { description: 'those that count on the whole site; absent: all of them' }),
    ),
    teams: Type.Optional(Type.Array(grantRecord, { description: 'absent: the privileges count on the whole site' })),
    isFirstUser: Type.Boolean({ description: 'No user exists yet, and this client may create the first one' }),
  },
  { title: 'Session' },
);

export const loginRoutes = [
  route({
    id: 'login',
    summary: 'Log in with username and password to get a token',
    method: 'POST',
    path: '/login',
    base: 'root',
    resourceGroup: 'open',
    entry,
    query: Type.Object({
      remember: Type.Optional(
        Type.Boolean({ description: 'also set a cookie with the token, for `GET /login/session` of a browser' }),
      ),
    }),
    body: credentials,
    bodyLimit: CREDENTIALS_LIMIT,
    answer: { status: 200, schema: Type.Object({ token: Type.String() }) },
    rejections: { 401: 'Wrong username or password', 403: 'The role may not log in', 429: 'Too many wrong passwords' },
    handle: async (call) => {
      const { engine, body, notes } = call;
      const wrongCredentials = () => new UnauthorizedError('Invalid username or password');
      const user = await authenticate(engine, body, call, wrongCredentials);
      const token = await issueToken(engine, user);
      notes.tokenId = tokenIdOf(token);
      const headers = call.query.remember === true ? sessionCookie(token, call) : {};
      return { body: { token }, headers };
    },
  }),
  route({
    id: 'resumeLogin',
    summary: "Get the token of a browser's session again, with the header X-Requested-With; 204 if there is none",
    method: 'GET',
    path: '/login/session',
    base: 'root',
    resourceGroup: 'open',
    answer: { status: 200, schema: Type.Object({ token: Type.String() }) },
    rejections: { 204: 'There is no session' },
    handle: async (call) => {
      const token = tokenOfSession(call);
      if (token === undefined) return { status: 204 };
      const isValid = await identify(call.engine, token).then(
        () => true,
        (error: unknown) => {
          if (error instanceof UnauthorizedError) return false;
          throw error;
        },
      );
      if (isValid) return { body: { token } };
      return { status: 204, headers: sessionCookie(undefined, call) };
    },
  }),
  route({
    id: 'getLogin',
    summary: 'Get the user of this request, and the privileges',
    method: 'GET',
    path: '/login/user',
    base: 'root',
    resourceGroup: 'login',
    firstUser: true,
    asksFirst: true,
    answer: { status: 200, schema: sessionRecord },
    handle: async ({ identity, firstUser }) => {
      const { username = null } = identity ?? {};
      const held = identity === undefined ? (firstUser ? [] : privileges) : anyPrivileges(identity);
      const teams = identity?.grants === undefined ? {} : { onSite: identity.privileges, teams: identity.grants };
      return { body: { username, privileges: held, ...teams, isFirstUser: firstUser } };
    },
  }),
  route({
    id: 'logout',
    summary: 'Log out: end the token of this request, in all daemons immediately',
    method: 'DELETE',
    path: '/login',
    base: 'root',
    resourceGroup: 'login',
    answer: { status: 204 },
    handle: async (call) => {
      await call.identity?.endToken();
      return { headers: call.header('cookie') === '' ? {} : sessionCookie(undefined, call) };
    },
  }),
];
