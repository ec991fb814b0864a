/** Opens the requests for users, roles, sessions and tokens. */
import type { Leases } from '../cluster/leases.ts';
import type { Store } from '../store/port.ts';
import {
  ApiTokenRequests,
  apiTokenSpec,
  type EndedToken,
  EndedTokenRequests,
  endedTokenSpec,
  type StoredApiToken,
} from '../users/api-tokens.ts';
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
    users: new UserRequests(users, new Guard(leases), async () => store.settle?.()),
    roles: new RoleRequests(await store.collection<StoredRole>(roleSpec), users),
    apiTokens: new ApiTokenRequests(await store.collection<StoredApiToken>(apiTokenSpec)),
    endedTokens: new EndedTokenRequests(await store.collection<EndedToken>(endedTokenSpec)),
    sessions: new SessionRequests(await store.collection<StoredSession>(sessionSpec)),
  };
}
