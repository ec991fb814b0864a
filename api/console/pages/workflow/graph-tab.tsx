/** The drawing of a workflow's graph, in the version that the workflow runs on, with what is active now. */
import type { MachineView } from '../../../../engine/define/machine-shape.ts';
import { useLive } from '../../data/live.ts';
import { machineOf } from '../../data/machines.ts';
import { GraphDrawing, type Picked } from '../../parts/graph/graph-drawing.tsx';
import { Shown } from '../../parts/shown.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

interface WorkflowGraphProps {
  workflow: ShownWorkflow;
  select?: (picked: Picked) => void;
  selected?: string | undefined;
}

export function WorkflowGraph({ workflow, select, selected }: WorkflowGraphProps) {
  const { injectableName: name, definitionHash: hash, value, tasks } = workflow;
  const live = useLive<MachineView>(`machine ${name} ${hash}`, () => machineOf(name, hash));
  return (
    <Shown live={live}>
      {(view) => <GraphDrawing view={view} states={value} tasks={tasks} select={select} selected={selected} />}
    </Shown>
  );
}
