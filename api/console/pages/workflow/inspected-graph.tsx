/** The drawing of a workflow, with the details of the task that is chosen beside it. */
import type { Signal } from '@preact/signals';
import { failedTask } from '../../../../engine/vocabulary/failed-task.ts';
import type { ShownTask, ShownWorkflow } from './shown-workflow.ts';
import { TaskDetails } from './task-details.tsx';
import { WorkflowGraph, type WorkflowGraphProps } from './workflow-graph.tsx';

interface InspectedGraphProps extends Pick<WorkflowGraphProps, 'workflow' | 'then' | 'moves'> {
  /** A label; undefined: the reader has chosen none. */
  chosen: Signal<string | undefined>;
}

export function InspectedGraph({ workflow, then, moves, chosen }: InspectedGraphProps) {
  const task = inspectedTask(workflow, chosen.value);
  return (
    <div class={task === undefined ? undefined : 'inspected'}>
      <div>
        <WorkflowGraph
          workflow={workflow}
          then={then}
          moves={moves}
          selected={task?.label}
          focus={then === undefined ? task?.label : undefined}
          select={(picked) => {
            chosen.value = picked.label;
          }}
        />
      </div>
      {task !== undefined && <TaskDetails task={task} />}
    </div>
  );
}

/** The task that is chosen; else the one by which the workflow failed, or was cancelled, or whose wait matters, or that runs. */
export function inspectedTask(
  { status, tasks, error, waiting }: Pick<ShownWorkflow, 'status' | 'tasks' | 'error' | 'waiting'>,
  chosen: string | undefined,
): ShownTask | undefined {
  if (chosen !== undefined) return tasks.find(({ label }) => label === chosen);
  if (status === 'failed') return failedTask(tasks, error);
  if (status === 'cancelled')
    return tasks.findLast(({ state, startedAt }) => state === 'cancelled' && startedAt !== null);
  return tasks.find(({ label }) => label === waiting?.label) ?? taskIn(tasks, 'running') ?? taskIn(tasks, 'waiting');
}

const taskIn = (tasks: readonly ShownTask[], wanted: string): ShownTask | undefined =>
  tasks.find(({ state }) => state === wanted);
