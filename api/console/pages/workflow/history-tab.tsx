/** The steps of a workflow, and the drawing of the workflow as it was after any of them. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { LiveContent } from '../../parts/live-content.tsx';
import { Time } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';
import { useWorkflowsBelow } from './below-workflows.ts';
import { historyColumns } from './history-columns.tsx';
import { HistoryScrubber } from './history-scrubber.tsx';
import { movesIn, takenSteps, workflowAfter } from './history-steps.ts';
import { stepWords } from './history-words.ts';
import { InspectedGraph } from './inspected-graph.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';
import { useWholeHistory, type WholeHistory } from './whole-history.ts';

export function HistoryTab({ workflow }: { workflow: ShownWorkflow }) {
  const live = useWholeHistory(workflow.id);
  return <LiveContent live={live}>{(history) => <Steps workflow={workflow} history={history} />}</LiveContent>;
}

function Steps({ workflow, history: { lines, isCut } }: { workflow: ShownWorkflow; history: WholeHistory }) {
  /** undefined: the last one, also when another follows. */
  const chosen = useSignal<number | undefined>(undefined);
  const task = useSignal<string | undefined>(undefined);
  const below = useWorkflowsBelow(workflow);
  const steps = useMemo(() => takenSteps(lines), [lines]);
  const count = Math.min(chosen.value ?? steps.length, steps.length);
  const step = steps[count - 1];
  const then = useMemo(() => workflowAfter(steps, count, workflow.tasks), [steps, count, workflow.tasks]);
  const moves = useMemo(() => movesIn(steps, count), [steps, count]);
  if (step === undefined) return <p class="quiet">The workflow has no history yet.</p>;
  return (
    <>
      <HistoryScrubber
        count={count}
        of={steps.length}
        choose={(wanted) => {
          chosen.value = wanted >= steps.length ? undefined : wanted;
        }}
      />
      <p role="status">
        Step {count} of {steps.length}, at <Time at={step.at} />: {stepWords(step.lines)}
      </p>
      {isCut && <p class="quiet">The history is longer: these are its first {lines.length} entries.</p>}
      <InspectedGraph
        workflow={workflow}
        then={chosen.value === undefined ? undefined : then}
        moves={moves}
        below={below}
        chosen={task}
      />
      <h2>Entries</h2>
      <WindowedList
        label="History"
        rows={lines}
        columns={historyColumns}
        keyOf={(line) => `${line.version} ${lines.indexOf(line)}`}
        empty="There are no entries."
      />
    </>
  );
}
