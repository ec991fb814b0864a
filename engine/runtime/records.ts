/** The records of the runtime: rows of workflows and nodes, as they are read and as they change by steps, and the history. */
import type { LiveState } from '../live/port.ts';
import { Rows } from './rows.ts';

export type Records = ReturnType<typeof openRecords>;

/** @param shared other processes write the rows too */
export function openRecords(
  { workflows, nodes, history }: Pick<LiveState, 'workflows' | 'nodes' | 'history'>,
  shared: boolean,
) {
  return {
    liveWorkflows: workflows,
    liveNodes: nodes,
    storedWorkflows: workflows.view,
    storedNodes: nodes.view,
    history,
    workflows: new Rows(workflows, shared),
    nodes: new Rows(nodes, shared),
  };
}
