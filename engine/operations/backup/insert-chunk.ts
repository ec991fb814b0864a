/** Inserts documents of a backup. */

import { historySpec } from '../../durable/live/history-log.ts';
import { inPhase } from '../../durable/live/port.ts';
import { recordSpec, workflowSpec } from '../../durable/live/specs.ts';
import { historyOf } from '../../durable/step/publications.ts';
import type { HistoryStep, StepRow, WorkflowRow } from '../../durable/step/row.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../platform/store/port.ts';
import { DuplicateError } from '../../platform/store/port.ts';
import { MIB } from '../../vocabulary/units.ts';
import { backedUp, rowSpecs } from './backup-collections.ts';
import { invalidBackup } from './backup-format.ts';

/** Bytes that a store takes in one request; MongoDB has to answer within seconds. */
const BATCH_BYTES = 2 * MIB;

interface Chunk {
  collection: string;
  documents: readonly Document[];
}

const isRows = (name: string): boolean => rowSpecs.some((spec) => spec.name === name);

/** The declaration of a collection where rows may be in Redis too. */
export const sharedSpec = (spec: CollectionSpec): CollectionSpec => (isRows(spec.name) ? recordSpec(spec) : spec);

/**
 * @param isShared rows may be in Redis too: these rest
 * @throws NodewrightError BACKUP_INVALID when the backup has two documents with one id, or one unique value
 */
export async function insertChunk(store: Store, { collection, documents }: Chunk, isShared = false): Promise<void> {
  const spec = backedUp.find(({ name }) => name === collection) as CollectionSpec;
  const target = await store.collection(isShared ? sharedSpec(spec) : spec);
  const inserted = isShared && isRows(collection) ? documents.map(asResting) : documents;
  if (isShared && collection === workflowSpec.name) await insertPendingLines(store, documents as WorkflowRow[]);
  for (const batch of batches(inserted)) await insert(target, collection, batch);
}

/** An embedded row has the lines of its last steps, which 0.1.0 wrote later; a row in Redis never has them. */
async function insertPendingLines(store: Store, rows: readonly WorkflowRow[]): Promise<void> {
  const history = await store.collection<HistoryStep>(historySpec);
  const steps = rows.flatMap(({ id, pendingEffects = [] }) =>
    pendingEffects.flatMap((one) => historyOf(id, one) ?? []),
  );
  for (const batch of batches(steps)) await history.insertMissing(batch as HistoryStep[]);
}

async function insert(target: Collection<Document>, name: string, documents: readonly Document[]): Promise<void> {
  try {
    const results = await target.insertMissing(documents);
    const twice = documents.find((_, at) => results[at] === false);
    // Some of its lines came with the rows.
    if (twice !== undefined && name !== historySpec.name)
      throw invalidBackup(`${name} has ${JSON.stringify(twice.id)} twice`);
  } catch (error) {
    throw error instanceof DuplicateError ? invalidBackup(error.message) : error;
  }
}

const asResting = (document: Document): Document => inPhase(document as StepRow, 'resting');

function* batches(documents: readonly Document[]): Generator<Document[]> {
  let batch: Document[] = [];
  let bytes = 0;
  for (const document of documents) {
    batch.push(document);
    bytes += JSON.stringify(document).length;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
