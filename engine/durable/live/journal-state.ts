/** Opens the rows of the embedded store, whose journal was made documents before (`journal-fold.ts`). */
import { Reconciler } from '../../platform/lib/reconciler.ts';
import type { JournaledStore } from '../../platform/store/journal.ts';
import type { NodeRow } from '../step/node.ts';
import type { WorkflowRow } from '../step/row.ts';
import { historySpec, type StoredHistory, StoredLog } from './history-log.ts';
import { JournalLive } from './journal-live.ts';
import { JournalWriter } from './journal-writer.ts';
import { nodeKind, workflowKind } from './kinds.ts';
import { MovingRows, PlannedWrite } from './moving-rows.ts';
import type { LiveState, Pair, PairOutcome } from './port.ts';
import { actorSpec, workflowSpec } from './specs.ts';

const REST_PASS_MS = 500;

export async function openMovingRows(store: JournaledStore) {
  const history = await store.collection<StoredHistory>(historySpec);
  const workflows = new MovingRows(workflowKind, await store.collection<WorkflowRow>(workflowSpec), history);
  const nodes = new MovingRows(nodeKind, await store.collection<NodeRow>(actorSpec));
  return { workflows, nodes, history };
}

/** Opens the rows without the pass that makes documents of idle ones: `rest` is such a pass. */
export async function openJournalRows(store: JournaledStore) {
  const { workflows, nodes, history } = await openMovingRows(store);
  const writer = new JournalWriter(store.journal, [workflows, nodes]);
  const live = { workflows: new JournalLive(workflows, writer), nodes: new JournalLive(nodes, writer) };
  const writePair = async ({ workflow, node }: Pair): Promise<PairOutcome> => {
    const before = 'before' in node ? node.before : await live.nodes.get(node.row.id);
    if (before === undefined) return 'absent';
    if ('holder' in node && nodeKind.holderOf?.(before) !== node.holder) return 'differs';
    const row = { ...node.row, version: before.version + 1 };
    const isSaved = await writer.write(new PlannedWrite(nodes, { before, row }), new PlannedWrite(workflows, workflow));
    return isSaved ? row.version : 'differs';
  };
  return {
    ...live,
    history: new StoredLog(history, (id) => workflows.stepsOf(id)),
    together: (pairs: readonly Pair[]) => Promise.all(pairs.map(writePair)),
    rest: (all: boolean) => writer.rest(all),
  };
}

export async function openJournalState(
  store: JournaledStore,
  failed: (what: string, error: unknown) => void,
): Promise<LiveState> {
  const { rest, ...rows } = await openJournalRows(store);
  const resting = new Reconciler({
    name: 'rest',
    everyMs: REST_PASS_MS,
    firstMs: REST_PASS_MS,
    pass: () => rest(false),
    failed: (error) => failed('the journal', error),
  });
  resting.start();
  return {
    ...rows,
    async close() {
      await resting.close();
      // If it fails, the next start does it.
      await rest(true).catch((error) => failed('the journal', error));
    },
  };
}
