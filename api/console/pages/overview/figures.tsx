/** Five figures with their course, each of which leads to its list. */

import { nounFor } from '../../../../engine/vocabulary/count-texts.ts';
import type { Rates } from '../../data/rates.ts';
import type { ShownSummary } from '../../data/read-summary.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { NeedyRecords } from './read-needs.ts';

interface Figure {
  title: string;
  value: number;
  path: string;
  /** Absent: the daemon keeps none. */
  course?: readonly number[];
  isBad?: boolean;
}

const number = new Intl.NumberFormat();

interface FiguresProps {
  /** undefined: it is not read yet, or the user may not read it. */
  summary: ShownSummary | undefined;
  rates: Rates;
  needs: NeedyRecords;
}

export function Figures({ summary, rates, needs }: FiguresProps) {
  return (
    <ul class="figures">
      {figuresOf(summary, rates, needs).map(({ title, value, path, course, isBad = false }) => (
        <li key={title} class={isBad && value > 0 ? 'failed' : undefined}>
          <a href={path}>
            <strong>{number.format(value)}</strong> {title}
            {course !== undefined && <Sparkline values={course} />}
          </a>
        </li>
      ))}
    </ul>
  );
}

function figuresOf(
  summary: ShownSummary | undefined,
  rates: Rates,
  { failedTotal, failedCourse }: NeedyRecords,
): Figure[] {
  const { activeNow, waitingNow, active, finishedTotal, finished, busy } = rates;
  const busyNow = summary?.nodes.busy ?? busy.at(-1) ?? 0;
  return [
    { title: 'running', value: activeNow - waitingNow, path: '/ui/workflows?view=running', course: active },
    { title: 'waiting', value: waitingNow, path: '/ui/workflows?view=waiting' },
    { title: 'ended in an hour', value: finishedTotal, path: '/ui/workflows?since=1h', course: finished },
    { title: 'failed in 24 hours', value: failedTotal, path: '/ui/failures', course: failedCourse, isBad: true },
    { title: `${nounFor(busyNow, 'node')} busy`, value: busyNow, path: '/ui/nodes?state=busy', course: busy },
  ];
}
