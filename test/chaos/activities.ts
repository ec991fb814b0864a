/** Compares a workflow's record with the ledger of its activities' side effects. */
import { AGAIN, ONCE } from './kinds.ts';
import type { Ledger } from './ledger.ts';

export interface Row {
  id: string;
  injectableName: string;
  status: string;
  tasks: {
    label: string;
    taskName: string;
    instanceId: string;
    state: string;
    output: { workflowId?: string } | null;
    error: { code: string } | null;
  }[];
}

/** Possible error codes of a workflow whose once activity was interrupted. */
const INTERRUPTED = ['TASK_INTERRUPTED', 'TASK_CANCELLED'];

/** Returns the differences from the record. */
export async function activitiesMissing(row: Row, { once, again }: { once: Ledger; again: Ledger }): Promise<string[]> {
  await Promise.all([once.refresh(), again.refresh()]);
  return row.tasks.flatMap(({ label, taskName, instanceId, state, error }) => {
    const ledger = taskName === ONCE ? once : taskName === AGAIN ? again : undefined;
    if (ledger === undefined) return [];
    const undone = state === 'succeeded' && ledger.count(instanceId) === 0;
    const odd = error !== null && !INTERRUPTED.includes(error.code);
    return [...(undone ? [`${label} was never done`] : []), ...(odd ? [`${label} failed with ${error.code}`] : [])];
  });
}
