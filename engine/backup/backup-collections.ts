/**
 * Every collection: in a backup, or not. A new one is added to one of the lists; `test/e2e/backup.test.ts` finds
 * those that are in neither.
 */

import { sightingSpec } from '../agents/agent-sightings.ts';
import { anchorSpec, auditSpec } from '../audit/audit-store.ts';
import { batchSpec } from '../batches/stored-batch.ts';
import { durationSpec } from '../diagnosis/durations.ts';
import { eventArchiveSpec } from '../event-log/event-archive.ts';
import { eventMarkSpec } from '../event-log/event-marks.ts';
import { outboxSpec } from '../events/outbox.ts';
import { contentChunkSpec, contentSpec } from '../files/blobs.ts';
import { failedFetchSpec } from '../files/failed-fetches.ts';
import { fileSpec } from '../files/file-store.ts';
import { deliverySpec } from '../hooks/deliveries.ts';
import { hookSpec } from '../hooks/stored-hook.ts';
import { apiDefinitionSpecs } from '../library/api-definitions.ts';
import { definitionsSpec } from '../library/archive.ts';
import { historySpec } from '../live/history-log.ts';
import { actorSpec, workflowSpec } from '../live/specs.ts';
import { catalogSpec, latestSpec } from '../nodes/catalogs.ts';
import { interlockSpec } from '../nodes/interlocks.ts';
import { lookupSpec } from '../nodes/lookups.ts';
import { nodeSpec } from '../nodes/node-requests.ts';
import { ibmSpec, obmSpec } from '../nodes/obm-requests.ts';
import { relationSpec } from '../nodes/relations.ts';
import { tombstoneSpec } from '../outbox/tombstones.ts';
import { packDefinitionSpec } from '../packs/pack-definitions.ts';
import { pollerDataSpec } from '../pollers/poller-data.ts';
import { pollerSpec } from '../pollers/stored-poller.ts';
import { regenerationSpec } from '../skus/generation.ts';
import { skuSpec } from '../skus/stored-sku.ts';
import { tagSpec } from '../skus/tag-rules.ts';
import { bootSpec } from '../southbound/southbound-keys.ts';
import type { CollectionSpec } from '../store/port.ts';
import { schemaSpec } from '../store/schema-version.ts';
import { apiTokenSpec, endedTokenSpec } from '../users/api-tokens.ts';
import { roleSpec, userSpec } from '../users/user-requests.ts';
import { sessionSpec } from '../users/user-sessions.ts';
import { suspectSpec } from '../watchdog/suspects.ts';
import { certificateSpec } from '../workflows/certificates.ts';
import { broadcastSpec } from '../workflows/notification-requests.ts';

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
  ...[nodeSpec, obmSpec, ibmSpec, lookupSpec, relationSpec, catalogSpec, latestSpec, interlockSpec, tombstoneSpec],
  ...[skuSpec, tagSpec, regenerationSpec, pollerSpec, pollerDataSpec, hookSpec, deliverySpec, outboxSpec],
  ...[userSpec, roleSpec, sessionSpec, apiTokenSpec, endedTokenSpec, bootSpec],
  ...[batchSpec, broadcastSpec, certificateSpec, suspectSpec, durationSpec, sightingSpec, failedFetchSpec],
  ...[fileSpec, contentSpec, contentChunkSpec],
  ...[auditSpec, anchorSpec, eventArchiveSpec, eventMarkSpec],
];

/** Names, with the reason. */
export const leftOut: Record<string, string> = {
  keys: 'which keys the embedded database uses; each start records it',
  gates: 'the state of BMCs in a process, which ends with it',
  secrets: 'entries of their own, because without services they are files',
  restores: 'the mark of an unfinished restore',
};
