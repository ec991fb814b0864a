/** Opens the requests for users, roles, sessions and tokens. */
import type { Audit } from '../api-port/index.ts';
import { AccessRecords } from '../operations/users/access-records.ts';
import {
  ApiTokenRequests,
  apiTokenSpec,
  type EndedToken,
  EndedTokenRequests,
  endedTokenSpec,
  type StoredApiToken,
} from '../operations/users/api-tokens.ts';
import { type LocalPassword, setLocally } from '../operations/users/local-passwords.ts';
import { PasswordSocket } from '../operations/users/password-socket.ts';
import { type ProviderName, ProviderNameRequests, providerNameSpec } from '../operations/users/provider-names.ts';
import {
  RoleRequests,
  roleSpec,
  type StoredRole,
  type StoredUser,
  UserRequests,
  userSpec,
} from '../operations/users/user-requests.ts';
import { SessionRequests, type StoredSession, sessionSpec } from '../operations/users/user-sessions.ts';
import type { Epoch } from '../platform/cluster/epoch.ts';
import type { Leases } from '../platform/cluster/leases.ts';
import { SerializedChanges } from '../platform/cluster/serialized-changes.ts';
import type { Store } from '../platform/store/port.ts';
import { messageOf } from '../vocabulary/thrown-values.ts';
import type { Foundation } from './foundation.ts';

/** ms that an answer waits for its entry in the audit log. */
const ENTRY_MS = 2_000;

/** Serves commands on this machine. Without a socket they work while the daemon is stopped. */
export async function openLocalPasswords({ config, log, store, epoch, failedIn }: Foundation, audit: Audit) {
  const users = await store.collection<StoredUser>(userSpec);
  const set = async (request: LocalPassword) => {
    const place = audit.reserve();
    try {
      await place.append(await epoch.change(() => setLocally(users, request)), ENTRY_MS);
    } finally {
      place.free();
    }
  };
  const socket = new PasswordSocket({ set, failed: failedIn('passwords') });
  await socket.listen(config.dataDir).catch((err: unknown) => {
    log.warn({ reason: messageOf(err) }, 'a lost password can be set only while the daemon is stopped');
  });
  return socket;
}

/** @param failed receives errors of work in the background */
export async function openUsers(store: Store, leases: Leases, epoch: Epoch, failed?: (error: unknown) => void) {
  const users = await store.collection<StoredUser>(userSpec);
  return {
    users: new UserRequests(
      users,
      new SerializedChanges(leases, 'administrators', 'users'),
      epoch,
      async () => store.settle?.(),
      failed,
    ),
    roles: new RoleRequests(await store.collection<StoredRole>(roleSpec), users, epoch),
    apiTokens: new ApiTokenRequests(await store.collection<StoredApiToken>(apiTokenSpec), epoch, failed),
    endedTokens: new EndedTokenRequests(await store.collection<EndedToken>(endedTokenSpec), epoch),
    providerNames: new ProviderNameRequests(await store.collection<ProviderName>(providerNameSpec)),
    access: new AccessRecords(epoch),
    sessions: new SessionRequests(await store.collection<StoredSession>(sessionSpec)),
  };
}
