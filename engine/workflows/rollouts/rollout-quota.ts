/** The rollouts that count in the quota of their team. */
import type { Collection } from '../../platform/store/port.ts';
import type { QuotaKind } from '../requests/team-quota.ts';
import type { StoredRollout } from './stored-rollout.ts';

/**
 * Those that have not ended. A draft counts from its first write, because its targets may take longer to store than the lease lasts.
 * One that a dead process left counts until the dispatcher removes it.
 */
export const rolloutsOf = (stored: Pick<Collection<StoredRollout>, 'count'>): QuotaKind => ({
  quota: 'rollouts',
  plural: 'rollouts',
  count: (owner) => stored.count({ owner, status: { $in: ['running', 'paused'] } }),
});
