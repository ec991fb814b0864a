/** Authentication by username and password, for the login and for Redfish sessions. */
import type { Engine, UserRecord } from '../../engine/api-port/index.ts';
import { senderGroup } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { MissingPrivilege } from '../http/rejections.ts';
import { entry, holdsOne } from '../http/rights.ts';
import type { Call } from '../http/route.ts';
import { attemptsOn } from './attempts.ts';
import { isPassword } from './passwords.ts';
import { admitsLocalUsers, anyPrivileges, rightsOf } from './tokens.ts';

/** Bytes; credentials are short, and clients without a token must not send much. */
export const CREDENTIALS_LIMIT = 16_384;

/**
 * @param wrong creates the error for a wrong name or password
 * @throws TooManyRequests, also for a correct password after too many wrong ones; FORBIDDEN for a role that may not log
 * in; LOCAL_USERS_OFF
 */
export async function authenticate(
  engine: Engine,
  { username, password }: { username: string; password: string },
  { address, notes }: Pick<Call, 'address' | 'notes'>,
  wrong: () => Error,
): Promise<UserRecord> {
  if (!admitsLocalUsers(engine))
    throw new NodewrightError('LOCAL_USERS_OFF', 'Users of this daemon may not log in; log in by OpenID Connect');
  // Truncated, since the keys are stored; no existing name is longer.
  const keys = [`user ${username.slice(0, 256)}`, `address ${senderGroup(address)}`];
  const attempts = attemptsOn(engine);
  attempts.rejectTooMany(keys);
  const user = await engine.users.get(username);
  // An unknown name is not noted, because it may be a password in the wrong field.
  if (user !== undefined) notes.user = username;
  const right = await isPassword(password, user?.password);
  attempts.rejectTooMany(keys);
  if (!user || !right) {
    attempts.countWrong(keys);
    throw wrong();
  }
  if (!holdsOne(anyPrivileges(await rightsOf(engine, user)), entry)) throw new MissingPrivilege(entry);
  engine.users.loggedIn(user);
  return user;
}
