/** A hook as it is kept. */
import type { HookRecord } from '../api-port/hooks.ts';
import type { CollectionSpec } from '../store/port.ts';

export const hookSpec: CollectionSpec = {
  name: 'hooks',
  indexes: { url: 'text', name: 'text', createdAt: 'text', updatedAt: 'text', address: 'text' },
  unique: ['address'],
};

/** How many there may be: each process knows all of them. */
export const HOOKS = 500;
/** How many are read: of those made at the same moment a few too many may be let in. */
export const HOOKS_READ = 1_000;

export interface StoredHook extends HookRecord {
  /** The url as it is used, for telling whether two are the same. */
  address: string;
  /** Sealed; null: no signature. */
  secret: string | null;
  /** How often in a row the receiver was not there, and until when it is left alone: ISO 8601, or null. */
  misses: number;
  restsUntil: string | null;
  /** The process that works it off, or null. */
  by: string | null;
}
