/** Sets the password of a user in a store, for the person who has the machine and no password. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { openAuditStore } from '../audit/audit-store.ts';
import type { Config } from '../config/config.ts';
import { NodewrightError } from '../define/errors.ts';
import { type StoredUser, userSpec } from '../users/user-requests.ts';
import { checkStored, openStoreAlone } from './adapters.ts';

/**
 * Ends the tokens and sessions of the user, as the API does, and has an entry in the audit log.
 * @param password its hash
 * @throws NodewrightError NOT_FOUND, DATA_DIR_LOCKED while a daemon uses the folder
 */
export async function setStoredPassword(config: Config, username: string, password: string): Promise<void> {
  checkStored(config);
  const store = await openStoreAlone(config);
  try {
    const users = await store.collection<StoredUser>(userSpec);
    const at = new Date().toISOString();
    const change = { password, passwordSince: at, updatedAt: at };
    if ((await users.update({ id: username }, { $set: change })) === undefined) {
      throw new NodewrightError('NOT_FOUND', `found no user ${username}; expected one of ${await namesOf(users)}`);
    }
    const target = `users/${username}`;
    const made = { user: null, tokenId: null, address: `the machine ${hostname()}`, method: 'PATCH' };
    const record = {
      ...made,
      at,
      path: 'nodewright user password --offline',
      target,
      status: 200,
      requestId: randomUUID(),
    };
    await (await openAuditStore(store)).append([record], randomUUID());
  } finally {
    await store.close();
  }
}

const SHOWN = 20;

async function namesOf(users: { find(filter: object, options: object): Promise<StoredUser[]> }): Promise<string> {
  const found = await users.find({}, { limit: SHOWN });
  return found.length === 0 ? 'none: there are no users' : found.map(({ username }) => username).join(', ');
}
