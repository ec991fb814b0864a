/**
 * Every field by which a list is filtered or sorted has an index, or is one that stores scan, so that no list parses a
 * whole collection. Except a workflow's `updatedAt`, which every step changes, and documents do not follow.
 */
import test from 'ava';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import type { Route } from '../../api/http/route.ts';
import type { ListFields } from '../../engine/api-port/list-filter.ts';
import { workflowSpec } from '../../engine/durable/live/specs.ts';
import { deliverySpec } from '../../engine/events/hooks/deliveries.ts';
import { hookSpec } from '../../engine/events/hooks/stored-hook.ts';
import { fileSpec } from '../../engine/inventory/files/file-store.ts';
import { holdSpec } from '../../engine/inventory/holds/stored-hold.ts';
import { latestSpec } from '../../engine/inventory/nodes/catalogs.ts';
import { lookupSpec } from '../../engine/inventory/nodes/lookups.ts';
import { ibmSpec, obmSpec } from '../../engine/inventory/nodes/obm-requests.ts';
import { nodeSpec } from '../../engine/inventory/nodes/stored-node.ts';
import { pollerSpec } from '../../engine/inventory/pollers/stored-poller.ts';
import { skuSpec } from '../../engine/inventory/skus/stored-sku.ts';
import { tagSpec } from '../../engine/inventory/skus/tag-rules.ts';
import { teamSpec } from '../../engine/inventory/teams/team-requests.ts';
import { userSpec } from '../../engine/operations/users/user-requests.ts';
import type { CollectionSpec } from '../../engine/platform/store/port.ts';
import { bulkActionSpec } from '../../engine/workflows/actions/stored-bulk-action.ts';
import { ticketSpec } from '../../engine/workflows/approvals/stored-ticket.ts';
import { baselineSpec } from '../../engine/workflows/baselines/stored-baseline.ts';
import { batchSpec } from '../../engine/workflows/batches/stored-batch.ts';
import { rehearsalSpec } from '../../engine/workflows/rehearsal/rehearsal-requests.ts';
import { certificateSpec } from '../../engine/workflows/requests/certificates.ts';
import { rolloutSpec } from '../../engine/workflows/rollouts/stored-rollout.ts';
import { ruleRunSpec, ruleSpec } from '../../engine/workflows/rules/stored-rule.ts';
import { runSpec, scheduleSpec } from '../../engine/workflows/schedules/stored-schedule.ts';
import { windowSpec } from '../../engine/workflows/windows/window-requests.ts';

const kept: Record<string, CollectionSpec> = {
  listNodes: nodeSpec,
  listSkuNodes: nodeSpec,
  listNodeCatalogs: latestSpec,
  listCatalogs: latestSpec,
  listFirmwareCatalogs: latestSpec,
  listTagNodes: nodeSpec,
  listTagRules: tagSpec,
  listObms: obmSpec,
  listIbms: ibmSpec,
  listNodeSshs: ibmSpec,
  listNodeObms: obmSpec,
  listLookups: lookupSpec,
  listLookups11: lookupSpec,
  listWorkflows: workflowSpec,
  listNodeWorkflows: workflowSpec,
  listSkus: skuSpec,
  listPollers: pollerSpec,
  listNodePollers: pollerSpec,
  listUsers: userSpec,
  listHooks: hookSpec,
  listDeliveries: deliverySpec,
  listHolds: holdSpec,
  listNodeHolds: holdSpec,
  listCertificates: certificateSpec,
  listWindows: windowSpec,
  listTeams: teamSpec,
  listBaselines: baselineSpec,
  listTickets: ticketSpec,
  listBatches: batchSpec,
  listBulkActions: bulkActionSpec,
  listRollouts: rolloutSpec,
  listRehearsals: rehearsalSpec,
  listSchedules: scheduleSpec,
  listScheduleRuns: runSpec,
  listRules: ruleSpec,
  listRuleRuns: ruleRunSpec,
  listTemplates: fileSpec,
  listProfiles: fileSpec,
  listFiles: fileSpec,
  listStaticFiles: fileSpec,
  listViews: fileSpec,
};

/** Records of one document, or in memory anyway; a workflow's history is found by its workflow, a target by its rollout. */
const small = [
  'listRelations',
  'listRoles',
  'listTokens',
  'listGraphs',
  'listGraphVersions',
  'listTasks',
  'listHistory',
  'listRolloutTargets',
  'listBmcs',
  'listFailures',
];

const lists = northboundRoutes({} as Parameters<typeof northboundRoutes>[0]).filter(
  (one): one is Route & { list: ListFields } => Object.keys(one.list ?? {}).length > 0 && !small.includes(one.id),
);

test('every field that a list is filtered or sorted by has an index, or is scanned', (t) => {
  for (const { id, list } of lists) {
    const { indexes = {}, scanned = {}, unique = [] } = kept[id] ?? {};
    const indexed = ['id', ...Object.keys({ ...indexes, ...scanned }), ...unique];
    for (const [name, { path = name, sort }] of Object.entries(list)) {
      const isParsed = kept[id] === workflowSpec && path === 'updatedAt' && sort === false;
      t.true(isParsed || indexed.includes(path), `${id}: ${path}`);
    }
  }
});

test('every list of records is covered by this test, and nothing else', (t) => {
  t.deepEqual(lists.map(({ id }) => id).sort(), Object.keys(kept).sort());
});
