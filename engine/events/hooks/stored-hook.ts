/** The stored form of a hook. */
import type { HookRecord } from '../../api-port/hooks.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';

export const hookSpec: CollectionSpec = {
  name: 'hooks',
  indexes: { url: 'text', name: 'text', createdAt: 'text', updatedAt: 'text', address: 'text' },
  unique: ['address'],
};

/** Maximum number of hooks: each process holds all of them in memory. */
export const HOOKS = 500;
/** Maximum number of hooks read: concurrent creations may exceed the limit slightly. */
export const HOOKS_READ = 1_000;

export interface StoredHook extends HookRecord {
  /** The normalized url, which is unique. */
  address: string;
  /** Encrypted; null: deliveries are not signed. */
  secret: string | null;
  /** Consecutive failures to reach the receiver, and the end of its back-off: ISO 8601, or null. */
  misses: number;
  retryAt: string | null;
  /** Owner: id of the process that delivers to the hook, or null. */
  by: string | null;
}
