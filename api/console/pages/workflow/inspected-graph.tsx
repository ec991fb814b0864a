/** The drawing of a workflow, with the details of the task that is chosen beside it. */
import type { Signal } from '@preact/signals';
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
          select={(picked) => {
            chosen.value = picked.kind === 'label' ? picked.label : undefined;
          }}
        />
      </div>
      {task !== undefined && <TaskDetails task={task} />}
    </div>
  );
}

/** The task that is chosen, or the one that a reader looks for first: the one that failed, else the one that is under way. */
export function inspectedTask({ tasks }: ShownWorkflow, chosen: string | undefined): ShownTask | undefined {
  if (chosen !== undefined) return tasks.find(({ label }) => label === chosen);
  const states = ['failed', 'timeout', 'running', 'waiting'];
  return states.flatMap((state) => tasks.find((task) => task.state === state) ?? [])[0];
}
