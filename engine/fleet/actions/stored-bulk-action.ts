/** A bulk action as stored: its command, and for each workflow what became of it. */
import type { BulkActionRecord } from '../../api-port/bulk-actions.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
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
  indexes: { pending: 'boolean', createdAt: 'text', status: 'text' },
  scanned: { command: 'text', createdBy: 'text' },
};

export type PlacedItem = [place: string, item: BulkItem];

export const itemsIn = ({ items }: Pick<StoredBulkAction, 'items'>): PlacedItem[] =>
  Object.entries(items).sort(([a], [b]) => Number(a) - Number(b));

export function bulkActionView(action: StoredBulkAction): BulkActionRecord {
  const { id, command, status, createdBy, createdAt, updatedAt } = action;
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
  return { id, command, status, counts, items, createdBy, createdAt, updatedAt };
}
