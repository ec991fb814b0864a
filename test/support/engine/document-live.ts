/** The live port on the documents of any store, for tests of other modules: each save replaces the row's document. */

import { historySpec, type StoredHistory, StoredLog } from '../../../engine/durable/live/history-log.ts';
import type { LiveRows, LiveState, RowChange } from '../../../engine/durable/live/port.ts';
import { actorSpec, workflowSpec } from '../../../engine/durable/live/specs.ts';
import type { NodeRow } from '../../../engine/durable/step/node.ts';
import type { StepRow, WorkflowRow } from '../../../engine/durable/step/row.ts';
import { AHEAD_MS, now } from '../../../engine/platform/lib/clock.ts';
import { byIds, pages } from '../../../engine/platform/store/pages.ts';
import type { Collection, Store } from '../../../engine/platform/store/port.ts';

export async function openDocumentState(store: Store): Promise<LiveState> {
  return {
    workflows: documentLive(await store.collection<WorkflowRow>(workflowSpec)),
    nodes: documentLive(await store.collection<NodeRow>(actorSpec)),
    history: new StoredLog(await store.collection<StoredHistory>(historySpec), () => []),
    async close() {},
  };
}

export function documentLive<R extends StepRow>(collection: Collection<R>): LiveRows<R> {
  const save = (changes: readonly RowChange<R>[]) => collection.replace(changes.map(({ row }) => row));
  return {
    view: collection,
    get: (id) => collection.get(id),
    getAll: (ids) => byIds(collection, ids),
    insert: (rows) => collection.insertMissing(rows),
    insertOnce: (rows) => collection.insertMissing(rows),
    async withdraw({ id, version }) {
      await collection.remove({ id, version });
    },
    save,
    settle: save,
    isReplicated: () => false,
    async remove(id) {
      await collection.remove({ id });
    },
    remember() {},
    leftRows: (quietMs) => pages(collection, { pending: true, ...(quietMs > 0 && unchangedFor(quietMs)) }),
    dueRows: (until) => pages(collection, { timerAt: { $lte: until } }),
  };
}

/** A row that was saved in the future was saved before the clock was set back. */
const unchangedFor = (ms: number) => {
  const at = (offset: number) => new Date(now() + offset).toISOString();
  return { $or: [{ updatedAt: { $lte: at(-ms) } }, { updatedAt: { $gt: at(AHEAD_MS) } }] };
};
