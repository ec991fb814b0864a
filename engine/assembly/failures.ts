/** Opens the failures. */

import { retention } from '../platform/cluster/retention.ts';
import { FailureRequests } from '../workflows/failures/failure-requests.ts';
import { failureSpec, type StoredFailure } from '../workflows/failures/stored-failure.ts';
import type { openBulkActions } from './bulk-actions.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openWorkflows } from './workflows.ts';

export async function openFailures(
  { config, store, cluster, records, failedIn }: Foundation,
  { nodes, skus }: Inventory,
  { workflows, surveyor }: Awaited<ReturnType<typeof openWorkflows>>,
  actions: Awaited<ReturnType<typeof openBulkActions>>,
) {
  const requests = new FailureRequests({
    stored: await store.collection<StoredFailure>(failureSpec),
    records,
    shownRow: (row) => workflows.shownRow(row),
    nodes: nodes.nodes,
    catalogs: nodes.catalogs,
    skus: skus.requests.stored,
    actions: actions.requests,
    stuck: async () => (await surveyor.survey()).stuck,
  });
  const tidying = retention(cluster, {
    name: 'failures',
    days: config.workflowRetentionDays,
    removeBefore: (before) => requests.removeBefore(before),
    failed: failedIn('failure retention'),
  });
  return { requests, tidying };
}
