/** Opens the requests for users, roles and sessions. */
import type { Leases } from '../cluster/leases.ts';
import type { Store } from '../store/port.ts';
import {
  Guard,
  RoleRequests,
  roleSpec,
  type StoredRole,
  type StoredUser,
  UserRequests,
  userSpec,
} from '../users/user-requests.ts';
import { SessionRequests, type StoredSession, sessionSpec } from '../users/user-sessions.ts';

export async function openUsers(store: Store, leases: Leases) {
  const users = await store.collection<StoredUser>(userSpec);
  return {
    users: new UserRequests(users, new Guard(leases)),
    roles: new RoleRequests(await store.collection<StoredRole>(roleSpec), users),
    sessions: new SessionRequests(await store.collection<StoredSession>(sessionSpec)),
  };
}
