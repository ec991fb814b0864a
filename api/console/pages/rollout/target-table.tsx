/** The targets of a rollout as a list, by their status. */
import { useSignal } from '@preact/signals';
import { ErrorText } from '../../parts/error-text.tsx';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Took } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';
import type { ShownTarget } from './phase-columns.tsx';

export function TargetTable({ targets }: { targets: readonly ShownTarget[] }) {
  const status = useSignal('');
  const statuses = [...new Set(targets.map((target) => target.status))].sort();
  const rows = status.value === '' ? targets : targets.filter((target) => target.status === status.value);
  return (
    <>
      <h2>Targets</h2>
      <label class="field inline">
        <span>Status</span>
        <select
          onChange={({ currentTarget }) => {
            status.value = currentTarget.value;
          }}
        >
          <option value="">all</option>
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <WindowedList
        label="Targets"
        rows={rows}
        keyOf={({ sequence }) => String(sequence)}
        empty="No target has this status."
        columns={[
          { title: 'node', width: '20%', card: 'name', cell: ({ node }) => <NodeLink id={node} /> },
          { title: 'phase', width: '8%', card: 'fact', cell: ({ phase }) => phase + 1 },
          {
            title: 'status',
            width: '18%',
            card: 'state',
            cell: (target) => (
              <>
                <StatePill of={target.status} /> {target.reason !== null && <span class="quiet">{target.reason}</span>}
              </>
            ),
          },
          {
            title: 'workflow',
            width: '14%',
            card: 'fact',
            cell: ({ workflow }) => workflow && <WorkflowLink id={workflow} />,
          },
          {
            title: 'took',
            width: '10%',
            card: 'fact',
            cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} />,
          },
          { title: 'tries', width: '6%', card: 'none', cell: ({ attempts }) => attempts.length + 1 },
          {
            title: 'error',
            width: '24%',
            card: 'line',
            cell: ({ error }) => error && <ErrorText error={{ message: error.message }} />,
          },
        ]}
      />
    </>
  );
}
