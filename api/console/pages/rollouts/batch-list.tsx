/** The list of batches, the newest first. */
import { batchCount, batchState } from '../../data/batch-state.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { GraphLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';

const MAX_BATCHES = 200;

export function BatchList() {
  const read = () => client.get('/batches', { query: { sort: '-createdAt', $top: MAX_BATCHES } });
  const live = useLive('batches', read, ({ action }) => action === 'finished');
  return (
    <LiveContent live={live}>
      {({ body }) => (
        <DataTable
          label="Batches"
          rows={body}
          keyOf={({ id }) => id}
          empty="No batch yet: a launch on several nodes makes one."
          columns={[
            {
              title: 'batch',
              cell: ({ id }) => <a href={`/ui/batches/${encodeURIComponent(id)}`}>{id.slice(0, 8)}</a>,
            },
            { title: 'status', cell: (batch) => <StatePill of={batchState(batch)} /> },
            { title: 'failed', isNumber: true, cell: (batch) => batchCount(batch, 'failed') },
            { title: 'graph', cell: ({ name }) => <GraphLink name={name} /> },
            { title: 'launched', isNumber: true, cell: ({ launched }) => launched.length },
            { title: 'waiting', isNumber: true, cell: ({ waiting }) => waiting.length },
            { title: 'rejected', isNumber: true, cell: ({ rejected }) => rejected.length },
            { title: 'by', cell: ({ launchedBy }) => launchedBy ?? <span class="quiet">unknown</span> },
            { title: 'created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          ]}
        />
      )}
    </LiveContent>
  );
}
