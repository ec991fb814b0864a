/** A batch as stored: its request, and for each node what became of it. */

import type { OverrideRequest } from '../../api-port/holds.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
import type { BatchStatus } from '../../vocabulary/states.ts';

/** Neither a workflow nor a code: it waits. */
export interface BatchEntry {
  node: string;
  workflow?: string;
  code?: string;
  message?: string;
}

export interface StoredBatch {
  id: string;
  name: string;
  /** Secrets are encrypted. */
  options: Record<string, unknown>;
  domain: string | null;
  operator: string | null;
  /** The team whose member started it; absent: a user of the whole site. */
  team?: string;
  /** The roles of the user who started it; absent: none. */
  launcherRoles?: readonly LauncherRole[];
  /** The ticket of its launches; absent: none. */
  ticket?: string;
  /** Absent: it overrides no holds. */
  override?: OverrideRequest;
  concurrency: number | null;
  maxFailures: number | null;
  status: BatchStatus;
  /** The user who cancelled it. */
  cancelledBy?: string | null;
  /** By position. Each is changed alone, so that two processes may work on one batch. */
  entries: Record<string, BatchEntry>;
  /** Something is left to do: launches, or the cancellation of what is active. */
  pending: boolean;
  createdAt: string;
  updatedAt: string;
}

export const batchSpec: CollectionSpec = {
  name: 'batches',
  indexes: { pending: 'boolean', createdAt: 'text', name: 'text', status: 'text', team: 'text' },
  scanned: { operator: 'text', updatedAt: 'text' },
};

export const entriesIn = ({ entries }: Pick<StoredBatch, 'entries'>): [string, BatchEntry][] =>
  Object.entries(entries).sort(([a], [b]) => Number(a) - Number(b));

export const isWaiting = ({ workflow, code }: BatchEntry): boolean => workflow === undefined && code === undefined;
