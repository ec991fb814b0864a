/** The pollers of a node, with their last state. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { duration } from '../../../client/times.ts';
import { client } from '../../data/daemon-client.ts';
import { useOfNode } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Until } from '../../parts/time.tsx';

export function NodePollers({ id }: { id: string }) {
  const read = async () => (await client.get('/nodes/:identifier/pollers', { params: { identifier: id } })).body;
  const live = useOfNode('pollers', id, read);
  const change = async (poller: string, paused: boolean) => {
    await client.patch('/pollers/:id', { params: { id: poller }, body: { paused } });
    live.reload();
  };
  const add = async () => {
    await client.post('/pollers', { body: { type: 'ipmi', node: id, config: { command: 'sel' } } });
    live.reload();
  };
  return (
    <LiveContent live={live}>
      {(pollers) => (
        <>
          <DataTable
            label="Pollers"
            rows={pollers}
            keyOf={(one) => one.id}
            empty="No poller reads the event log of this node's BMC."
            columns={[
              { title: 'reads', cell: ({ type, config }) => `${type} ${config.command ?? ''}` },
              { title: 'every', cell: ({ pollInterval }) => duration(pollInterval) },
              { title: 'state', cell: (one) => <PollerState poller={one} /> },
              { title: 'last error', cell: ({ lastError }) => lastError && <ErrorText error={lastError} /> },
              { title: 'changed', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
              {
                title: 'actions',
                cell: ({ id: pollerId, paused }) => (
                  <NeedsRight owner={null}>
                    <ActionButton run={() => change(pollerId, !paused)}>{paused ? 'Resume' : 'Pause'}</ActionButton>
                  </NeedsRight>
                ),
              },
            ]}
          />
          {pollers.length === 0 && (
            <NeedsRight owner={null}>
              <ActionButton run={add}>Read the event log every minute</ActionButton>
            </NeedsRight>
          )}
        </>
      )}
    </LiveContent>
  );
}

interface PollerStateProps {
  poller: { paused: boolean; failureCount: number; retryAt: string | null };
}

function PollerState({ poller: { paused, failureCount, retryAt } }: PollerStateProps) {
  if (paused) return <StatePill of="paused" />;
  if (failureCount === 0) return <StatePill of="ok" text="works" />;
  return (
    <>
      <StatePill of="failed" text={`${countText(failureCount, 'failure')} in a row`} />
      {retryAt !== null && (
        <>
          , next try <Until at={retryAt} />
        </>
      )}
    </>
  );
}
