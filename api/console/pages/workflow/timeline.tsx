/** When each task ran and waited, and each child workflow: as bars, and the same as a table. */
import { useMemo } from 'preact/hooks';
import type { LiveValue } from '../../data/live.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import { clock } from '../../parts/time.tsx';
import { childrenOf, type WorkflowsBelow } from './below-workflows.ts';
import { ChildRows } from './child-rows.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';
import { timelineRows } from './timeline-bars.ts';
import { TimelineAxis, TimelineRows, type TimelineScale } from './timeline-rows.tsx';
import { TimelineTable } from './timeline-table.tsx';
import type { ListedLine, WholeHistory } from './whole-history.ts';

interface TimelineProps {
  workflow: ShownWorkflow;
  history: LiveValue<WholeHistory>;
  below: WorkflowsBelow;
  /** A label. */
  selected: string | undefined;
  select: (label: string) => void;
}

/** Tasks that are drawn at most. */
const ROWS = 500;

export const Timeline = ({ history, ...props }: TimelineProps) => (
  <LiveContent live={history}>{({ lines }) => <DrawnTimeline {...props} lines={lines} />}</LiveContent>
);

interface DrawnTimelineProps extends Omit<TimelineProps, 'history'> {
  lines: readonly ListedLine[];
}

function DrawnTimeline({ workflow, below: { all, isCut }, selected, select, lines }: DrawnTimelineProps) {
  const rows = useMemo(() => timelineRows(lines), [lines]);
  const children = childrenOf(workflow.id, all);
  const begins = rows.slice(0, ROWS).flatMap(({ bars }) => bars.map(({ from }) => from));
  if (begins.length === 0) return <p class="quiet">No task has begun.</p>;
  const from = Math.min(...begins);
  const end = workflow.finishedAt === null ? clock.value : Date.parse(workflow.finishedAt);
  const scale: TimelineScale = { from, to: Math.max(end, from + 1) };
  return (
    <>
      <div class="timeline">
        <TimelineAxis scale={scale} />
        <TimelineRows rows={rows.slice(0, ROWS)} scale={scale} selected={selected} select={select} />
        <ChildRows workflows={children} all={all} scale={scale} depth={0} />
      </div>
      {rows.length > ROWS && <p>{rows.length - ROWS} more tasks are not drawn.</p>}
      {isCut && <p class="quiet">More child workflows are in the list of workflows.</p>}
      <TimelineTable workflow={workflow} rows={rows} />
    </>
  );
}
