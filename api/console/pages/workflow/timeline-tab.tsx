/** When each task ran and waited: as bars, and the same as a table. */
import { useMemo } from 'preact/hooks';
import { preciseDuration } from '../../../client/usual-time.ts';
import { clockTime } from '../../data/shown-times.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { clock, Time } from '../../parts/time.tsx';
import { isUnderWay, type ShownWorkflow } from './shown-workflow.ts';
import { type TimelineBar, type TimelineRow, ticks, timelineRows } from './timeline-bars.ts';
import { type ListedLine, useWholeHistory } from './whole-history.ts';

/** Tasks and table rows that are drawn at most. */
const ROWS = 500;
const TICKS = 6;

export function TimelineTab({ workflow }: { workflow: ShownWorkflow }) {
  const live = useWholeHistory(workflow.id);
  return <LiveContent live={live}>{({ lines }) => <Timeline workflow={workflow} lines={lines} />}</LiveContent>;
}

function Timeline({ workflow, lines }: { workflow: ShownWorkflow; lines: readonly ListedLine[] }) {
  const rows = useMemo(() => timelineRows(lines), [lines]);
  const bars = rows.flatMap(({ label, bars: taskBars }) => taskBars.map((bar) => ({ label, ...bar })));
  if (bars.length === 0) return <p class="quiet">No task has begun.</p>;
  const from = Math.min(...bars.slice(0, ROWS).map((bar) => bar.from));
  const end = workflow.finishedAt === null ? clock.value : Date.parse(workflow.finishedAt);
  const to = Math.max(end, from + 1);
  return (
    <>
      <TimelineBars rows={rows.slice(0, ROWS)} from={from} to={to} />
      {rows.length > ROWS && <p>{rows.length - ROWS} more tasks are not drawn.</p>}
      <details>
        <summary>As a table</summary>
        <DataTable
          label="Timeline"
          rows={bars.slice(0, ROWS)}
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
        {bars.length > ROWS && <p>{bars.length - ROWS} more are in the history.</p>}
      </details>
    </>
  );
}

const tookText = ({ from, to }: TimelineBar, goesOn: boolean): string =>
  to === undefined && goesOn
    ? `${preciseDuration(clock.value - from)} until now`
    : preciseDuration((to ?? from) - from);

interface TimelineBarsProps {
  rows: readonly TimelineRow[];
  from: number;
  to: number;
}

/** Shares of the width, so that it fits any screen. */
function TimelineBars({ rows, from, to }: TimelineBarsProps) {
  const share = (at: number) => `${(100 * (Math.min(at, to) - from)) / (to - from)}%`;
  const width = (bar: TimelineBar) => share(from + (bar.to ?? to) - bar.from);
  return (
    <div class="timeline" aria-hidden="true">
      <div class="axis">
        {ticks(from, to, TICKS).map((at) => (
          <span key={at} style={{ left: share(at) }}>
            {clockTime(at)}
          </span>
        ))}
      </div>
      {rows.map(({ label, bars }) => (
        <div class="row" key={label}>
          <span class="name" title={label}>
            {label}
          </span>
          <div class="bars">
            {bars.map((bar) => (
              <span
                key={`${bar.from} ${bar.state}`}
                class={`bar ${bar.state} ${bar.error === undefined ? '' : 'failed'} ${bar.to === undefined ? 'open' : ''}`}
                style={{ left: share(bar.from), width: width(bar) }}
                title={`${bar.state}, attempt ${bar.attempt}, ${preciseDuration((bar.to ?? to) - bar.from)}${bar.error === undefined ? '' : `, ${bar.error}`}`}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
