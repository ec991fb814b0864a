/**
 * Every collection: in a backup, or not. A new one is added to one of the lists; `test/e2e/backup.test.ts` finds
 * those that are in neither.
 */

import { historySpec } from '../../durable/live/history-log.ts';
import { actorSpec, workflowSpec } from '../../durable/live/specs.ts';
import { suspectSpec } from '../../durable/watchdog/suspects.ts';
import { outboxSpec } from '../../events/broker/outbox.ts';
import { eventArchiveSpec } from '../../events/event-log/event-archive.ts';
import { eventMarkSpec } from '../../events/event-log/event-marks.ts';
import { deliverySpec } from '../../events/hooks/deliveries.ts';
import { hookSpec } from '../../events/hooks/stored-hook.ts';
import { tombstoneSpec } from '../../events/outbox/tombstones.ts';
import { sightingSpec } from '../../inventory/agents/agent-sightings.ts';
import { consoleSpec } from '../../inventory/consoles/stored-console.ts';
import { contentChunkSpec, contentSpec } from '../../inventory/files/blobs.ts';
import { failedFetchSpec } from '../../inventory/files/failed-fetches.ts';
import { fileSpec } from '../../inventory/files/file-store.ts';
import { holdSpec } from '../../inventory/holds/stored-hold.ts';
import { catalogSpec, latestSpec } from '../../inventory/nodes/catalogs.ts';
import { interlockSpec } from '../../inventory/nodes/interlocks.ts';
import { lookupSpec } from '../../inventory/nodes/lookups.ts';
import { ibmSpec, obmSpec } from '../../inventory/nodes/obm-requests.ts';
import { relationSpec } from '../../inventory/nodes/relations.ts';
import { nodeSpec } from '../../inventory/nodes/stored-node.ts';
import { packDefinitionSpec } from '../../inventory/packs/pack-definitions.ts';
import { pollerDataSpec } from '../../inventory/pollers/poller-data.ts';
import { pollerSpec } from '../../inventory/pollers/stored-poller.ts';
import { regenerationSpec } from '../../inventory/skus/generation.ts';
import { skuSpec } from '../../inventory/skus/stored-sku.ts';
import { tagSpec } from '../../inventory/skus/tag-rules.ts';
import { bootSpec } from '../../inventory/southbound/southbound-keys.ts';
import { bootImageSpec } from '../../inventory/southbound/stored-boot-image.ts';
import { teamSpec } from '../../inventory/teams/team-requests.ts';
import { apiDefinitionSpecs } from '../../library/versions/api-definitions.ts';
import { definitionsSpec } from '../../library/versions/archive.ts';
import type { CollectionSpec } from '../../platform/store/port.ts';
import { schemaSpec } from '../../platform/store/schema-version.ts';
import { bulkActionSpec } from '../../workflows/actions/stored-bulk-action.ts';
import { ticketSpec } from '../../workflows/approvals/stored-ticket.ts';
import { baselineSpec } from '../../workflows/baselines/stored-baseline.ts';
import { batchSpec } from '../../workflows/batches/stored-batch.ts';
import { durationSpec } from '../../workflows/diagnosis/durations.ts';
import { failureSpec } from '../../workflows/failures/stored-failure.ts';
import { rehearsalSpec } from '../../workflows/rehearsal/rehearsal-requests.ts';
import { broadcastSpec } from '../../workflows/requests/broadcasts.ts';
import { certificateSpec } from '../../workflows/requests/certificates.ts';
import { rolloutSpec, targetSpec } from '../../workflows/rollouts/stored-rollout.ts';
import { ruleMarkSpec, ruleRunSpec, ruleSpec } from '../../workflows/rules/stored-rule.ts';
import { runSpec, scheduleSpec } from '../../workflows/schedules/stored-schedule.ts';
import { windowSpec } from '../../workflows/windows/window-requests.ts';
import { anchorSpec, auditSpec } from '../audit/audit-store.ts';
import { apiTokenSpec, endedTokenSpec } from '../users/api-tokens.ts';
import { providerNameSpec } from '../users/provider-names.ts';
import { roleSpec, userSpec } from '../users/user-requests.ts';
import { sessionSpec } from '../users/user-sessions.ts';

/** The rows, which are in two places with services. */
export const rowSpecs = [workflowSpec, actorSpec] as const;

/**
 * In this order. The version of the data comes first, then the rows and their history: what they name is there afterwards,
 * as far as it still was.
 */
export const backedUp: readonly CollectionSpec[] = [
  schemaSpec,
  ...rowSpecs,
  historySpec,
  ...[definitionsSpec, apiDefinitionSpecs.graph, apiDefinitionSpecs.task, packDefinitionSpec],
  ...[nodeSpec, obmSpec, ibmSpec, lookupSpec, relationSpec, catalogSpec, latestSpec, interlockSpec],
  ...[holdSpec, teamSpec, consoleSpec, tombstoneSpec],
  ...[skuSpec, tagSpec, regenerationSpec, pollerSpec, pollerDataSpec, hookSpec, deliverySpec, outboxSpec],
  ...[userSpec, roleSpec, sessionSpec, apiTokenSpec, endedTokenSpec, providerNameSpec, bootSpec, bootImageSpec],
  ...[
    windowSpec,
    baselineSpec,
    rehearsalSpec,
    rolloutSpec,
    targetSpec,
    bulkActionSpec,
    failureSpec,
    ticketSpec,
    batchSpec,
    broadcastSpec,
    certificateSpec,
    suspectSpec,
    durationSpec,
  ],
  ...[scheduleSpec, runSpec, ruleSpec, ruleRunSpec, ruleMarkSpec, sightingSpec, failedFetchSpec],
  ...[fileSpec, contentSpec, contentChunkSpec],
  ...[auditSpec, anchorSpec, eventArchiveSpec, eventMarkSpec],
];

/** Names, with the reason. */
export const leftOut: Record<string, string> = {
  journal: 'the steps of rows that move: documents are made of them in the copy',
  keys: 'which keys the embedded database uses; each start records it',
  consolelines: 'what machines wrote, which is no record of this installation; their numbers continue',
  gates: 'the state of BMCs in a process, which ends with it',
  secrets: 'entries of their own, because without services they are files',
  restores: 'the mark of an unfinished restore',
};
