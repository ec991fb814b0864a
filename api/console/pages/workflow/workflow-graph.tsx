/** The drawing of a workflow's graph, in the version that the workflow runs on. */
import type { MachineView } from '../../../../engine/vocabulary/machine-shape.ts';
import { machineOf } from '../../data/graph-machines.ts';
import { useLive } from '../../data/live.ts';
import type { UnfoldedGraph } from '../../parts/graph/drawing-props.ts';
import { GraphDrawing, type PickedItem } from '../../parts/graph/graph-drawing.tsx';
import type { StateMove } from '../../parts/graph/taken-arrows.ts';
import type { DrawnTask } from '../../parts/graph/task-line.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

export interface WorkflowGraphProps {
  workflow: ShownWorkflow;
  select: (picked: PickedItem) => void;
  /** A label. */
  selected: string | undefined;
  /** The label that it opens on. */
  focus?: string | undefined;
  /** The workflow at another time than now. */
  then?: { value: unknown; tasks: readonly DrawnTask[] } | undefined;
  unfolded?: readonly UnfoldedGraph[] | undefined;
  /** Those that the machine has made, by then. */
  moves?: readonly StateMove[] | undefined;
}

export function WorkflowGraph({ workflow, select, selected, focus, then, unfolded, moves }: WorkflowGraphProps) {
  const { injectableName: name, definitionHash: hash, value, tasks } = workflow;
  const live = useLive<MachineView>(`machine ${name} ${hash}`, () => machineOf(name, hash));
  return (
    <LiveContent live={live}>
      {(view) => (
        <GraphDrawing
          view={view}
          states={then === undefined ? value : then.value}
          tasks={then?.tasks ?? tasks}
          moves={moves}
          unfolded={unfolded}
          select={select}
          selected={selected}
          focus={focus}
        />
      )}
    </LiveContent>
  );
}
