/** A timeline as a table, for those who do not see its bars. */
import { preciseDuration } from '../../../client/usual-time.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { clock, Time } from '../../parts/time.tsx';
import { isUnderWay, type ShownWorkflow } from './shown-workflow.ts';
import type { TimelineBar, TimelineRow } from './timeline-bars.ts';

/** Rows that are shown at most. */
const TABLE_ROWS = 500;

export function TimelineTable({ workflow, rows }: { workflow: ShownWorkflow; rows: readonly TimelineRow[] }) {
  const bars = rows.flatMap(({ label, bars: taskBars }) => taskBars.map((bar) => ({ label, ...bar })));
  return (
    <details>
      <summary>As a table</summary>
      <DataTable
        label="Timeline"
        rows={bars.slice(0, TABLE_ROWS)}
        keyOf={({ label, from: began, attempt, state }) => `${label} ${began} ${attempt} ${state}`}
        empty="No task has begun."
        columns={[
          { title: 'task', cell: ({ label }) => label },
          { title: 'attempt', cell: ({ attempt }) => attempt, isNumber: true },
          { title: '', cell: ({ state }) => state },
          { title: 'from', cell: (bar) => <Time at={new Date(bar.from).toISOString()} /> },
          { title: 'took', cell: (bar) => tookText(bar, isUnderWay(workflow)), isNumber: true },
          { title: 'ended by', cell: ({ error }) => error },
        ]}
      />
      {bars.length > TABLE_ROWS && <p>{bars.length - TABLE_ROWS} more are in the history.</p>}
    </details>
  );
}

const tookText = ({ from, to }: TimelineBar, goesOn: boolean): string =>
  to === undefined && goesOn
    ? `${preciseDuration(clock.value - from)} until now`
    : preciseDuration((to ?? from) - from);
