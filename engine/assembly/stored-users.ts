/** Sets the password of a user for the person who has the machine and no password: by the daemon that runs, or in its store. */
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { openAuditStore } from '../operations/audit/audit-store.ts';
import { type LocalPassword, setLocally } from '../operations/users/local-passwords.ts';
import { askForPassword, passwordSocketIn } from '../operations/users/password-socket.ts';
import { type StoredUser, userSpec } from '../operations/users/user-requests.ts';
import { OUTDATED_MS } from '../platform/cluster/epoch.ts';
import type { Config } from '../platform/config/config.ts';
import { daemonOr } from '../platform/store/data-dir-socket.ts';
import { checkStored, openStoreAlone } from './adapters.ts';

/**
 * Ends the tokens and sessions of the user, as the API does, and has an entry in the audit log.
 * @throws NodewrightError NOT_FOUND, UNAVAILABLE; DATA_DIR_LOCKED while another command uses the folder
 */
export async function setLocalPassword(config: Config, request: LocalPassword): Promise<void> {
  checkStored(config);
  const daemon = await daemonOr(passwordSocketIn(config.dataDir), () => setStored(config, request));
  if (daemon instanceof Socket) await askForPassword(daemon, request);
}

async function setStored(config: Config, request: LocalPassword): Promise<void> {
  const store = await openStoreAlone(config);
  try {
    const record = await setLocally(await store.collection<StoredUser>(userSpec), request);
    await (await openAuditStore(store)).append([{ ...record, at: new Date().toISOString() }], randomUUID());
    // Daemons on other machines may still use what they have read.
    if (config.redis !== undefined) await setTimeout(OUTDATED_MS);
  } finally {
    await store.close();
  }
}
