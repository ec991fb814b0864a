/** How long the tasks of a graph took in earlier runs. */
import { requestPlan } from '../../../client/shown-plan.ts';
import { preciseDuration, type UsualTime } from '../../../client/usual-time.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

export function GraphTimes({ name }: { name: string }) {
  const live = useLive(`times ${name}`, () => requestPlan(client, { graph: name, options: {} }, undefined));
  return (
    <LiveContent live={live}>
      {({ tasks, usualMs }) => (
        <DataTable
          label="Usual times"
          rows={[
            ...tasks.map(({ label, taskName, usualMs: taskUsualMs }) => ({ label, taskName, usual: taskUsualMs })),
            { label: 'the whole workflow', taskName: '', usual: usualMs },
          ]}
          keyOf={({ label }) => label}
          empty="The graph has no tasks."
          columns={[
            { title: 'label', cell: ({ label }) => label },
            { title: 'task', cell: ({ taskName }) => taskName },
            { title: 'median', cell: ({ usual }) => timeOf(usual, 'p50'), isNumber: true },
            { title: '90th percentile', cell: ({ usual }) => timeOf(usual, 'p90'), isNumber: true },
            { title: 'runs', cell: ({ usual }) => usual?.runs ?? 0, isNumber: true },
          ]}
        />
      )}
    </LiveContent>
  );
}

const timeOf = (usual: UsualTime | null, which: 'p50' | 'p90') =>
  usual === null ? <span class="quiet">unknown</span> : preciseDuration(usual[which]);
