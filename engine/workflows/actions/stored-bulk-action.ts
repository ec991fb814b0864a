/** A bulk action as stored: its command, and for each workflow what became of it. */
import type { BulkActionRecord } from '../../api-port/bulk-actions.ts';
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import {
  type BulkActionStatus,
  type BulkCommand,
  type BulkItemStatus,
  bulkItemStatuses,
} from '../../vocabulary/states.ts';

export interface BulkItem {
  workflow: string;
  /** A wave has begun it: it may have taken effect. */
  begun?: true;
  /** Absent: it waits, or is under way. */
  status?: 'succeeded' | 'rejected';
  code?: string;
  message?: string;
  newWorkflow?: string;
}

export interface StoredBulkAction {
  id: string;
  command: BulkCommand;
  /** Secrets are encrypted. */
  options: JsonObject;
  acknowledge: boolean | readonly string[];
  createdBy: string | null;
  /** The team whose member created it; absent: a user of the whole site. */
  owner?: string;
  /** The roles of the user who created it; absent: none. */
  launcherRoles?: readonly LauncherRole[];
  status: BulkActionStatus;
  /** By position. Each is changed alone, so that a cancellation is not overwritten. */
  items: Record<string, BulkItem>;
  /** Something is left to do. */
  pending: boolean;
  createdAt: string;
  updatedAt: string;
}

export const bulkActionSpec: CollectionSpec = {
  name: 'bulkactions',
  indexes: { pending: 'boolean', createdAt: 'text', status: 'text', owner: 'text' },
  scanned: { command: 'text', createdBy: 'text', updatedAt: 'text' },
};

export type PlacedItem = [place: string, item: BulkItem];

export const itemsIn = ({ items }: Pick<StoredBulkAction, 'items'>): PlacedItem[] =>
  Object.entries(items).sort(([a], [b]) => Number(a) - Number(b));

/** The workflow does not exist, or not for the member who asks. */
export const unknownWorkflow = (id: string) => new NodewrightError('NOT_FOUND', `Could not find workflow ${id}`);

export function bulkActionView(action: StoredBulkAction): BulkActionRecord {
  const { id, command, status, createdBy, owner, createdAt, updatedAt } = action;
  const statusOf = ({ status: outcome, begun }: BulkItem): BulkItemStatus =>
    outcome ?? (status === 'cancelled' && begun === undefined ? 'cancelled' : 'pending');
  const items = itemsIn(action).map(([, item]) => ({
    workflow: item.workflow,
    status: statusOf(item),
    code: item.code ?? null,
    message: item.message ?? null,
    ...(item.newWorkflow !== undefined && { newWorkflow: item.newWorkflow }),
  }));
  const counts = Object.fromEntries(bulkItemStatuses.map((one) => [one, 0]));
  for (const item of items) counts[item.status] = (counts[item.status] ?? 0) + 1;
  const owned = owner === undefined ? {} : { owner };
  return { id, command, status, counts, items, createdBy, ...owned, createdAt, updatedAt };
}
