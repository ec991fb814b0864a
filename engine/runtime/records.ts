/** The records of the runtime: rows of workflows and nodes, as collections and as they change by steps, and the history. */
import { documentLive } from '../live/documents.ts';
import type { NodeRow } from '../step/node.ts';
import type { HistoryStep, WorkflowRow } from '../step/row.ts';
import { upgradedNode, upgradedWorkflow } from '../step/upgrade.ts';
import type { CollectionSpec, Store } from '../store/port.ts';
import { upgrading } from '../store/upgrading.ts';
import { Rows } from './rows.ts';

export const workflowSpec: CollectionSpec = {
  name: 'workflows',
  indexes: {
    node: 'text',
    status: 'text',
    domain: 'text',
    name: 'text',
    graphName: 'text',
    createdAt: 'text',
    startedAt: 'text',
    finishedAt: 'text',
    pending: 'boolean',
    wakeAt: 'number',
    definitionHash: 'text',
    root: 'text',
  },
  // Not indexed, so lists cannot use it: an index on fields that every step changes would cost every step its upkeep.
  whole: ['updatedAt'],
};
/** Lazy: a step's lines stay in its row until a later, synchronous write of the row drops them. */
export const historySpec: CollectionSpec = {
  name: 'history',
  indexes: { workflow: 'text' },
  lazy: true,
  whole: ['last'],
};
export const actorSpec: CollectionSpec = {
  name: 'actors',
  indexes: { workflow: 'text', pending: 'boolean' },
  whole: ['retired', 'updatedAt'],
};

export type Records = Awaited<ReturnType<typeof openRecords>>;

/** @param shared other processes write the rows too */
export async function openRecords(store: Store, shared: boolean) {
  const liveWorkflows = documentLive(upgrading(await store.collection<WorkflowRow>(workflowSpec), upgradedWorkflow));
  const liveNodes = documentLive(upgrading(await store.collection<NodeRow>(actorSpec), upgradedNode));
  return {
    liveWorkflows,
    liveNodes,
    storedWorkflows: liveWorkflows.view,
    storedNodes: liveNodes.view,
    history: await store.collection<HistoryStep>(historySpec),
    workflows: new Rows(liveWorkflows, shared),
    nodes: new Rows(liveNodes, shared),
  };
}
