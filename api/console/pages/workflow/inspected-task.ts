/** The task of a workflow that a reader looks at. */
import { failedTask } from '../../../../engine/vocabulary/failed-task.ts';
import type { GetAnswer } from '../../../client/requests.ts';

type InspectedWorkflow = GetAnswer<'/workflows/:id'>;
type InspectedTask = InspectedWorkflow['tasks'][number];

/** The task that is chosen; else the one by which the workflow failed, or was cancelled, or whose wait matters, or that runs. */
export function inspectedTask(
  { status, tasks, error, waiting }: Pick<InspectedWorkflow, 'status' | 'tasks' | 'error' | 'waiting'>,
  chosen: string | undefined,
): InspectedTask | undefined {
  if (chosen !== undefined) return tasks.find(({ label }) => label === chosen);
  if (status === 'failed') return failedTask(tasks, error);
  if (status === 'cancelled')
    return tasks.findLast(({ state, startedAt }) => state === 'cancelled' && startedAt !== null);
  return tasks.find(({ label }) => label === waiting?.label) ?? taskIn(tasks, 'running') ?? taskIn(tasks, 'waiting');
}

const taskIn = (tasks: readonly InspectedTask[], wanted: string): InspectedTask | undefined =>
  tasks.find(({ state }) => state === wanted);
