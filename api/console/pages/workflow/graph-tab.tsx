/** The drawing of a workflow's graph, in the version that the workflow runs on. */
import { useSignal } from '@preact/signals';
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import { machineOf } from '../../data/graph-machines.ts';
import { useLive } from '../../data/live.ts';
import { GraphDrawing, type PickedItem } from '../../parts/graph/graph-drawing.tsx';
import type { DrawnTask } from '../../parts/graph/task-line.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';
import { TaskDetails } from './task-details.tsx';

interface WorkflowGraphProps {
  workflow: ShownWorkflow;
  /** Absent: a click shows the details of a task. */
  select?: (picked: PickedItem) => void;
  selected?: string | undefined;
  /** The workflow at another time than now. */
  then?: { value: unknown; tasks: readonly DrawnTask[] } | undefined;
}

export function WorkflowGraph({ workflow, select, selected, then }: WorkflowGraphProps) {
  const { injectableName: name, definitionHash: hash, value, tasks } = workflow;
  const live = useLive<MachineView>(`machine ${name} ${hash}`, () => machineOf(name, hash));
  const chosen = useSignal<string | undefined>(undefined);
  const show = (picked: PickedItem) => {
    chosen.value = picked.kind === 'label' ? picked.label : undefined;
  };
  const label = chosen.value ?? inspectedTask(tasks)?.label;
  const task = select === undefined ? tasks.find((one) => one.label === label) : undefined;
  return (
    <LiveContent live={live}>
      {(view) => (
        <div class={task === undefined ? undefined : 'inspected'}>
          <div>
            <GraphDrawing
              view={view}
              states={then === undefined ? value : then.value}
              tasks={then?.tasks ?? tasks}
              select={select ?? show}
              selected={select === undefined ? chosen.value : selected}
            />
          </div>
          {task !== undefined && <TaskDetails task={task} />}
        </div>
      )}
    </LiveContent>
  );
}

/** The task that a reader looks for first: the one that failed, else the one that is under way. */
const inspectedTask = (tasks: WorkflowGraphProps['workflow']['tasks']) =>
  ['failed', 'timeout', 'running', 'waiting'].flatMap((state) => tasks.find((task) => task.state === state) ?? [])[0];
