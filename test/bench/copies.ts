/** Copies of documents, written directly into a store: as many as a daemon would have after months. */
import { randomUUID } from 'node:crypto';
import { historySpec, type StoredHistory } from '../../engine/durable/live/history-log.ts';
import type { RecordedRow } from '../../engine/durable/live/port.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import type { Collection, CollectionSpec, Document, Store } from '../../engine/platform/store/port.ts';

/** FerretDB needs seconds for some hundred on a busy machine, and the store has a deadline. */
const AT_ONCE = 100;

/** Times of a document that differ between copies. */
const TIMES = ['createdAt', 'startedAt', 'finishedAt'];

/** @param apartMs between the times of two of them; they are before those of the original @returns their ids */
export async function copies<T extends Document & { createdAt: string }>(
  collection: Collection<T>,
  id: string,
  count: number,
  apartMs = 1,
): Promise<string[]> {
  const original = await collection.get(id);
  if (original === undefined) throw new Error(`found no document ${id} to copy`);
  const times = Object.entries(original).filter(([key, value]) => TIMES.includes(key) && typeof value === 'string');
  const earlier = (ms: number) =>
    Object.fromEntries(times.map(([key, value]) => [key, new Date(Date.parse(value as string) - ms).toISOString()]));
  const ids: string[] = [];
  while (ids.length < count) {
    const group = Array.from({ length: Math.min(AT_ONCE, count - ids.length) }, () => randomUUID());
    const made = group.map((copy, at) => ({ ...original, ...earlier(apartMs * (ids.length + at + 1)), id: copy }));
    await collection.insertMissing(made);
    ids.push(...group);
  }
  return ids;
}

/** @param spec of the collection of workflows @param id of a workflow that has ended; its history is copied as well */
export async function copyWorkflow(
  store: Store,
  spec: CollectionSpec,
  id: string,
  count: number,
  apartMs?: number,
): Promise<void> {
  const rows = await store.collection<RecordedRow<WorkflowRow>>(spec);
  const row = await rows.get(id);
  if (row?.pending !== false || row.phase === 'moving') throw new Error(`workflow ${id} has not come to rest`);
  const ids = await copies(rows, id, count, apartMs);
  const history = await store.collection<StoredHistory>(historySpec);
  const steps = await history.find({ workflow: id });
  for (let from = 0; from < count; from += AT_ONCE) {
    const group = ids.slice(from, from + AT_ONCE);
    const copied = group.flatMap((workflow) => steps.map((step) => ({ ...step, id: randomUUID(), workflow })));
    await history.insertMissing(copied);
  }
}
