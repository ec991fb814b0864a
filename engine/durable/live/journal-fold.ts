/**
 * Makes documents of the journal that a process left, before anything else reads them. Each page of entries becomes
 * documents and leaves the journal in one transaction: if the process dies, the next start makes those of the others.
 *
 * 1. A document may have the steps of some entries already: these were kept because of other rows. The version tells.
 */

import type { Statement } from '../../platform/store/database-requests.ts';
import type { JournaledStore } from '../../platform/store/journal.ts';
import { byIds } from '../../platform/store/pages.ts';
import type { StepRow } from '../step/row.ts';
import { apply } from './delta.ts';
import type { JournalRecord } from './journal-record.ts';
import { openMovingRows } from './journal-state.ts';
import type { MovingRows } from './moving-rows.ts';

export async function foldJournal(store: JournaledStore): Promise<void> {
  for await (const { entries, last } of store.journal.pages()) {
    const records = entries.flatMap((entry) => JSON.parse(entry) as JournalRecord[]);
    const { workflows, nodes } = await openMovingRows(store);
    const statements = [...(await fold(workflows, records)), ...(await fold(nodes, records))];
    await store.journal.checkpoint(statements, last + 1);
  }
}

/** @param rows empty */
async function fold<R extends StepRow>(rows: MovingRows<R>, records: readonly JournalRecord[]): Promise<Statement[]> {
  const own = records.filter(([kind]) => kind === rows.kind.name);
  const ids = [...new Set(own.map(([, id]) => id))];
  const rowsBefore = new Map((await byIds(rows.documents, ids)).map((row) => [row.id, row]));
  const removed = new Set<string>();
  for (const [, id, , change] of own) {
    const row = rows.get(id) ?? rowsBefore.get(id);
    if (change === null) {
      removed.add(id);
      rowsBefore.delete(id);
      rows.forget([id]);
    } else if ('row' in change) {
      if (row === undefined) rows.accept(change.row as R, 0);
    } else if (row?.version === change.from) {
      apply(row as unknown as Record<string, unknown>, change.delta);
      rows.accept(row, 0);
    }
  }
  return [...[...removed].flatMap((id) => rows.removing(id)), ...rows.documentsOf(rows.all())];
}
