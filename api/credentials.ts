/** Who comes with a name and a password, at the login and for a Redfish session. */
import type { Engine, UserRecord } from '../engine/api-port/index.ts';
import { Attempts } from './attempts.ts';
import { isPassword } from './passwords.ts';
import { forbidden } from './refusals.ts';
import { entry, holdsOne } from './rights.ts';
import { identityOf } from './tokens.ts';

/** One for the process: an attacker gains nothing by trying another endpoint. */
const attempts = new Attempts();

/** Names and passwords are short; whoever has no token yet may not make us read more. */
export const CREDENTIALS_LIMIT = 16_384;

/**
 * @param wrong made for a wrong name or password
 * @throws TooManyRequests, also for a right password that comes after too many wrong ones; FORBIDDEN for a role that
 * may not log in
 */
export async function authenticate(
  engine: Engine,
  { username, password }: { username: string; password: string },
  address: string,
  wrong: () => Error,
): Promise<UserRecord> {
  // Cut, since what is counted is kept: no name that exists is longer.
  const keys = [`user ${username.slice(0, 256)}`, `address ${address}`];
  attempts.refuseTooMany(keys);
  const user = await engine.users.get(username);
  const right = await isPassword(password, user?.password);
  attempts.refuseTooMany(keys);
  if (!user || !right) {
    attempts.countWrong(keys);
    throw wrong();
  }
  if (!holdsOne((await identityOf(engine, user)).privileges, entry)) throw forbidden();
  return user;
}
