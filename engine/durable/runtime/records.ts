/** The records of the runtime: rows of workflows and nodes, as they are read and as they change by steps, and the history. */
import type { LiveState } from '../live/port.ts';
import { Pairs } from './pairs.ts';
import { Rows } from './rows.ts';

export type Records = ReturnType<typeof openRecords>;

/** @param shared other processes write the rows too */
export function openRecords({ workflows, nodes, history, together }: Omit<LiveState, 'close'>, shared: boolean) {
  const rows = { workflows: new Rows(workflows, shared), nodes: new Rows(nodes, shared) };
  return {
    liveWorkflows: workflows,
    liveNodes: nodes,
    storedWorkflows: workflows.view,
    storedNodes: nodes.view,
    history,
    ...rows,
    /** Absent: rows are saved one by one. */
    pairs: together && new Pairs(rows.workflows, rows.nodes, together),
  };
}
