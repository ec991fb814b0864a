/** The reports on the health of a node. */
import { client } from '../../data/daemon-client.ts';
import { useOfNode } from '../../data/node-records.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Until } from '../../parts/time.tsx';

export function HealthReports({ id }: { id: string }) {
  const read = async () => (await client.get('/nodes/:identifier/health', { params: { identifier: id } })).body;
  const live = useOfNode('health', id, read);
  return (
    <LiveContent live={live}>
      {({ state, since, reports }) => (
        <>
          <p>
            <StatePill of={state} />, since <Ago at={since} />
          </p>
          <DataTable
            label="Reports on its health"
            rows={reports}
            keyOf={({ source, message, at }) => `${source} ${message} ${at}`}
            empty="Nothing reports on this node yet: no BMC was asked, no agent was seen, and no other source reported."
            columns={[
              { title: 'source', cell: ({ source }) => inShort(source) },
              { title: 'state', cell: (report) => <StatePill of={report.state} /> },
              { title: 'message', cell: ({ message }) => message },
              { title: 'at', cell: ({ at }) => <Ago at={at} /> },
              { title: 'ends', cell: ({ until }) => until !== null && <Until at={until} /> },
            ]}
          />
        </>
      )}
    </LiveContent>
  );
}
