/** A workflow as its drawing, its chosen task, and its timeline: a task that is chosen in one is marked in the others. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useWorkflowsBelow } from './below-workflows.ts';
import { movesIn, takenSteps } from './history-steps.ts';
import { InspectedGraph } from './inspected-graph.tsx';
import { inspectedTask } from './inspected-task.ts';
import type { ShownWorkflow } from './shown-workflow.ts';
import { Timeline } from './timeline.tsx';
import { useWholeHistory } from './whole-history.ts';

export function GraphTab({ workflow }: { workflow: ShownWorkflow }) {
  const chosen = useSignal<string | undefined>(undefined);
  const history = useWholeHistory(workflow.id);
  const below = useWorkflowsBelow(workflow);
  const { lines = [] } = history.value.value ?? {};
  const moves = useMemo(() => movesIn(takenSteps(lines), lines.length), [lines]);
  return (
    <>
      <InspectedGraph workflow={workflow} moves={moves} below={below} chosen={chosen} />
      <h2>Timeline</h2>
      <Timeline
        workflow={workflow}
        history={history}
        below={below}
        selected={inspectedTask(workflow, chosen.value)?.label}
        select={(label) => {
          chosen.value = label;
        }}
      />
    </>
  );
}
