/** Rehearsals, the newest first: how rollouts will probably go. */

import { duration } from '../../../client/times.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Ago } from '../../parts/time.tsx';

/** More are not kept. */
const MAX_REHEARSALS = 200;

interface RehearsalListProps {
  /** Only those of the same targets in the same order. */
  of?: { graph: string; seed: number };
}

export function RehearsalList({ of }: RehearsalListProps) {
  const query = { ...of, sort: '-createdAt', $top: MAX_REHEARSALS };
  const live = useLive(`rehearsals ${of?.graph} ${of?.seed}`, () => client.get('/rehearsals', { query }));
  return (
    <LiveContent live={live}>
      {({ body }) =>
        of !== undefined && body.length === 0 ? null : (
          <DataTable
            label="Rehearsals"
            rows={body}
            keyOf={({ id }) => id}
            empty="No rehearsal. Plan a rollout on the page Nodes, and rehearse it; or use nw rehearse, which needs no daemon."
            columns={[
              {
                title: 'rehearsal',
                cell: ({ id, name }) => <a href={`/ui/rehearsals/${encodeURIComponent(id)}`}>{inShort(name)}</a>,
              },
              { title: 'graph', cell: ({ graph }) => <GraphLink name={graph} /> },
              { title: 'takes', cell: ({ report }) => duration(report.durationMs.p50) },
              { title: 'gates trip', cell: ({ report }) => tripsText(report) },
              { title: 'made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
            ]}
          />
        )
      }
    </LiveContent>
  );
}

const tripsText = ({ gates, runs }: { gates: readonly { trips: number }[]; runs: number }): string =>
  gates.length === 0 ? 'never' : `in ${gates.reduce((sum, { trips }) => sum + trips, 0)} of ${runs} runs`;
