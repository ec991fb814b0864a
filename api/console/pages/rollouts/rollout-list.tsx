/** The list of rollouts, the newest first. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { RolloutPill, RolloutProgress } from '../../parts/rollout-status.tsx';
import { Ago } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';

const MAX_ROLLOUTS = 500;

export function RolloutList() {
  const read = () => client.get('/rollouts', { query: { sort: '-createdAt', $top: MAX_ROLLOUTS } });
  const live = useLive('rollouts', read, ({ type }) => type === 'rollout');
  return (
    <LiveContent live={live}>
      {({ body, total = body.length }) => (
        <>
          <p class="actions">
            <a class="button" href="/ui/nodes">
              Choose nodes for a rollout
            </a>
          </p>
          {total > body.length && (
            <p class="quiet">
              The newest {body.length} of {countText(total, 'rollout')}
            </p>
          )}
          <WindowedList
            label="Rollouts"
            rows={body}
            keyOf={({ id }) => id}
            empty="No rollout yet. Choose nodes on the page Nodes, and roll a graph out on them."
            columns={[
              {
                title: 'name',
                width: '24%',
                card: 'name',
                cell: ({ id, name }) => <a href={`/ui/rollouts/${encodeURIComponent(id)}`}>{inShort(name)}</a>,
              },
              { title: 'status', width: '20%', card: 'state', cell: (one) => <RolloutPill rollout={one} /> },
              {
                title: 'phase',
                width: '8%',
                card: 'fact',
                cell: ({ phase, phases }) => `${phase + 1} of ${phases.length}`,
              },
              {
                title: 'targets',
                width: '22%',
                card: 'fact',
                cell: ({ counts }) => <RolloutProgress counts={counts} />,
              },
              { title: 'graph', width: '14%', card: 'line', cell: ({ graph }) => <GraphLink name={graph} /> },
              { title: 'created', width: '12%', card: 'fact', cell: ({ createdAt }) => <Ago at={createdAt} /> },
            ]}
          />
        </>
      )}
    </LiveContent>
  );
}
