/** Passwords that are set by the person who has the machine of the daemon, and no token. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { AuditRecord } from '../../api-port/index.ts';
import type { Collection } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { StoredUser } from './user-requests.ts';

export interface LocalPassword {
  username: string;
  /** Its hash. */
  password: string;
}

/** The most names that an error shows. */
const MAX_NAMES = 20;

/**
 * Ends the tokens and sessions of the user, as the API does.
 * @returns the entry for the audit log
 * @throws NodewrightError NOT_FOUND
 */
export async function setLocally(
  users: Pick<Collection<StoredUser>, 'update' | 'find'>,
  { username, password }: LocalPassword,
): Promise<AuditRecord> {
  const at = new Date().toISOString();
  const change = { password, passwordSince: at, updatedAt: at };
  if ((await users.update({ id: username }, { $set: change })) === undefined) {
    throw new NodewrightError('NOT_FOUND', `found no user ${username}; expected one of ${await namesOf(users)}`);
  }
  return {
    user: null,
    tokenId: null,
    address: `the machine ${hostname()}`,
    method: 'PATCH',
    path: 'nodewright user password',
    target: `users/${username}`,
    status: 200,
    requestId: randomUUID(),
  };
}

async function namesOf(users: Pick<Collection<StoredUser>, 'find'>): Promise<string> {
  const storedUsers = await users.find({}, { limit: MAX_NAMES });
  return storedUsers.length === 0 ? 'none: there are no users' : storedUsers.map(({ username }) => username).join(', ');
}
