/** Finds the workflows that ended lately and are documents only: their rows change no more. */
import type { RecordedRow } from '../../durable/live/port.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { Collection } from '../../platform/store/port.ts';

const ROWS_PER_PAGE = 1_000;

/** @param since ISO 8601 @returns their ids */
export async function endedSince(
  record: Pick<Collection<RecordedRow<WorkflowRow>>, 'pick'>,
  since: string,
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let after = ''; ; ) {
    const filter = { finishedAt: { $gte: since }, phase: 'resting', ...(after !== '' && { id: { $gt: after } }) };
    const page = await record.pick([], filter, { limit: ROWS_PER_PAGE });
    for (const { id } of page) ids.add(id);
    if (page.length < ROWS_PER_PAGE) return ids;
    after = page.at(-1)?.id ?? '';
  }
}
