/** The drawing of a workflow, with the details of the task that is chosen beside it. A click on a task unfolds its child. */
import type { Signal } from '@preact/signals';
import type { WorkflowsBelow } from './below-workflows.ts';
import { TaskDetails } from './task-details.tsx';
import { inspectedIn, useUnfoldedChildren } from './unfolded-children.ts';
import { WorkflowGraph, type WorkflowGraphProps } from './workflow-graph.tsx';

interface InspectedGraphProps extends Pick<WorkflowGraphProps, 'workflow' | 'then' | 'moves'> {
  below: WorkflowsBelow;
  /** A label; of a task in a child `label/label`; undefined: the reader has chosen none. */
  chosen: Signal<string | undefined>;
}

export function InspectedGraph({ workflow, then, moves, below, chosen }: InspectedGraphProps) {
  const { children, labels, unfolded } = useUnfoldedChildren(workflow, below.all);
  const inspected = inspectedIn(workflow, unfolded, chosen.value);
  const selected = chosen.value ?? inspected?.task.label;
  const turn = (label: string) => {
    const others = new Set(labels.value);
    if (!others.delete(label)) others.add(label);
    labels.value = others;
  };
  return (
    <div class={inspected === undefined ? undefined : 'inspected'}>
      <div>
        <WorkflowGraph
          workflow={workflow}
          then={then}
          moves={moves}
          unfolded={then === undefined ? unfolded : undefined}
          selected={selected}
          focus={then === undefined ? selected : undefined}
          select={({ label }) => {
            chosen.value = label;
            if (label !== undefined && children.has(label)) turn(label);
          }}
        />
      </div>
      {inspected !== undefined && (
        <TaskDetails
          key={selected}
          {...inspected}
          child={selected === undefined ? undefined : children.get(selected)}
        />
      )}
    </div>
  );
}
