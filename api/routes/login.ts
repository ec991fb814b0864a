/** POST /login: exchanges a password for a token. */
import { Type } from 'typebox';
import { authenticate, CREDENTIALS_LIMIT } from '../credentials.ts';
import { Unauthorized } from '../rejections.ts';
import { entry } from '../rights.ts';
import { route } from '../route.ts';
import { issueToken } from '../tokens.ts';

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
    handle: async ({ engine, body, address }) => {
      const wrong = () => new Unauthorized('Invalid username or password');
      const user = await authenticate(engine, body, address, wrong);
      return { status: 200, body: { token: await issueToken(engine, user) } };
    },
  }),
];
