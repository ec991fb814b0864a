/** Figures, each of which leads to its list. Those that need a person are red, unless they are 0. */
import type { ShownSummary } from '../../data/read-summary.ts';
import { nounFor } from '../../parts/count-texts.ts';
import type { NeedyWorkflows } from './read-needs.ts';

interface Figure {
  title: string;
  value: number;
  path: string;
  isBad?: boolean;
}

const number = new Intl.NumberFormat();

/** @param summary undefined: not read yet */
export function Figures({ summary, needs }: { summary: ShownSummary | undefined; needs: NeedyWorkflows }) {
  return (
    <ul class="figures">
      {figuresOf(summary, needs).map(({ title, value, path, isBad = false }) => (
        <li key={title} class={isBad && value > 0 ? 'bad' : undefined}>
          <a href={path}>
            <strong>{number.format(value)}</strong> {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function figuresOf(summary: ShownSummary | undefined, { failedTotal, stuckTotal }: NeedyWorkflows): Figure[] {
  const urgent = [
    { title: 'failed in 24 hours', value: failedTotal, path: '/ui/workflows?status=failed', isBad: true },
    { title: 'stuck', value: stuckTotal, path: '/ui/workflows?view=stuck', isBad: true },
  ];
  if (summary === undefined) return urgent;
  const { workflows, nodes, bmcs } = summary;
  const { running = 0, pending = 0 } = workflows.byStatus;
  const active = running + pending;
  return [
    ...urgent,
    {
      title: `${nounFor(bmcs.circuitsOpen, 'BMC')} without an answer`,
      value: bmcs.circuitsOpen,
      path: '/ui/admin?tab=bmcs',
      isBad: true,
    },
    { title: `${nounFor(active, 'workflow')} under way`, value: active, path: '/ui/workflows?view=active' },
    { title: `${nounFor(nodes.busy, 'node')} busy`, value: nodes.busy, path: '/ui/nodes?state=busy' },
    { title: nounFor(nodes.total, 'node'), value: nodes.total, path: '/ui/nodes' },
  ];
}
