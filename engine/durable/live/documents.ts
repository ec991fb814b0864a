/** The live port on documents alone: each save replaces the row's document. */
import { AHEAD_MS, now } from '../../platform/lib/clock.ts';
import { byIds, pages } from '../../platform/store/pages.ts';
import type { Collection, Store } from '../../platform/store/port.ts';
import type { NodeRow } from '../step/node.ts';
import type { StepRow, WorkflowRow } from '../step/row.ts';
import { documentHistory, historySpec, type StoredHistory } from './history-log.ts';
import type { LiveRows, LiveState, RowChange } from './port.ts';
import { actorSpec, workflowSpec } from './specs.ts';

export async function openDocumentState(store: Store): Promise<LiveState> {
  return {
    workflows: documentLive(await store.collection<WorkflowRow>(workflowSpec)),
    nodes: documentLive(await store.collection<NodeRow>(actorSpec)),
    history: documentHistory(await store.collection<StoredHistory>(historySpec)),
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
