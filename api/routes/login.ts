/** /login: exchanges a password for a token, and ends the token. */
import { Type } from 'typebox';
import { authenticate, CREDENTIALS_LIMIT } from '../auth/credentials.ts';
import { entry } from '../auth/rights.ts';
import { issueToken, tokenIdOf } from '../auth/tokens.ts';
import { Unauthorized } from '../rejections.ts';
import { route } from '../route.ts';

const credentials = Type.Object({ username: Type.String(), password: Type.String() });

export const loginRoutes = [
  route({
    id: 'login',
    summary: 'Log in with username and password to get a token',
    method: 'POST',
    path: '/login',
    base: 'root',
    resourceGroup: 'open',
    entry,
    body: credentials,
    bodyLimit: CREDENTIALS_LIMIT,
    answer: { status: 200, schema: Type.Object({ token: Type.String() }) },
    rejections: { 401: 'Wrong username or password', 403: 'The role may not log in', 429: 'Too many wrong passwords' },
    handle: async (call) => {
      const { engine, body, notes } = call;
      const wrong = () => new Unauthorized('Invalid username or password');
      const user = await authenticate(engine, body, call, wrong);
      const token = await issueToken(engine, user);
      notes.tokenId = tokenIdOf(token);
      return { status: 200, body: { token } };
    },
  }),
  route({
    id: 'logout',
    summary: 'Log out: end the token of this request, in all daemons at once',
    method: 'DELETE',
    path: '/login',
    base: 'root',
    resourceGroup: 'login',
    answer: { status: 204 },
    handle: async ({ identity }) => {
      await identity?.endToken();
      return { status: 204 };
    },
  }),
];
