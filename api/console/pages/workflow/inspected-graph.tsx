/** The drawing of a workflow, with the details of the task that is chosen beside it. */
import type { Signal } from '@preact/signals';
import { inspectedTask } from './inspected-task.ts';
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
      {task !== undefined && <TaskDetails key={task.label} workflow={workflow} task={task} />}
    </div>
  );
}
