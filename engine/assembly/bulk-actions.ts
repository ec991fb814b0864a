/** Opens the bulk actions. */

import { retention } from '../platform/cluster/retention.ts';
import { BulkActionRequests } from '../workflows/actions/bulk-action-requests.ts';
import { bulkActionSpec, type StoredBulkAction } from '../workflows/actions/stored-bulk-action.ts';
import type { Foundation } from './foundation.ts';
import type { openWorkflows } from './workflows.ts';

export async function openBulkActions(
  { config, store, cluster, records, queues, failedIn }: Foundation,
  { preparation, launches, control }: Awaited<ReturnType<typeof openWorkflows>>,
) {
  const stored = await store.collection<StoredBulkAction>(bulkActionSpec);
  const requests = new BulkActionRequests({
    actions: stored,
    records,
    launches,
    control,
    prepare: (graph, options) => preparation.optionsToStore(graph, options),
    cluster,
    changes: queues.channel('bulk actions'),
    failed: failedIn('bulk actions'),
  });
  const tidying = retention(cluster, {
    name: 'bulk actions',
    days: config.workflowRetentionDays,
    removeBefore: (before) => requests.removeBefore(before),
    failed: failedIn('bulk action retention'),
  });
  return { requests, stored, tidying };
}
