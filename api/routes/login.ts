/** POST /login: a token for a user's password. */
import { Type } from 'typebox';
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import { Attempts } from '../attempts.ts';
import { isPassword } from '../passwords.ts';
import { forbidden, Unauthorized } from '../refusals.ts';
import { privilegesOf } from '../rights.ts';
import { route } from '../route.ts';
import { issueToken } from '../tokens.ts';

/** One for the process: an attacker gains nothing by trying another endpoint. */
const attempts = new Attempts();

const credentials = Type.Object({ username: Type.String(), password: Type.String() });

interface Credentials {
  username: string;
  password: string;
}

/** @throws Unauthorized or TooManyRequests; also for a right password that comes after too many wrong ones */
async function userOf(engine: Engine, { username, password }: Credentials, address: string): Promise<UserRecord> {
  // Cut, since what is counted is kept: no name that exists is longer.
  const keys = [`user ${username.slice(0, 256)}`, `address ${address}`];
  attempts.refuseTooMany(keys);
  const user = await engine.users.get(username);
  const right = await isPassword(password, user?.password);
  attempts.refuseTooMany(keys);
  if (user && right) return user;
  attempts.countWrong(keys);
  throw new Unauthorized('Invalid username or password');
}

export const loginRoutes = [
  route({
    id: 'login',
    summary: 'Get a token for a user and password',
    method: 'POST',
    path: '/login',
    base: 'root',
    area: 'open',
    body: credentials,
    // Names and passwords are short; whoever has no token yet may not make us read more.
    bodyLimit: 16_384,
    answer: { status: 200, schema: Type.Object({ token: Type.String() }) },
    refusals: { 401: 'Wrong username or password', 403: 'The role may not log in', 429: 'Too many wrong passwords' },
    handle: async ({ engine, body, address }) => {
      const user = await userOf(engine, body, address);
      if (!privilegesOf(user.role)?.includes('Login')) throw forbidden();
      return { status: 200, body: { token: await issueToken(engine, user) } };
    },
  }),
];
