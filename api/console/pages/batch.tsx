/** A batch: one graph on many nodes. */
import { useRoute } from 'preact-iso';
import { readBatchEnds } from '../data/batch-ends.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { NodeLink, WorkflowLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { StatePill } from '../parts/state-pill.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { BatchHead, hasMore } from './batch/batch-head.tsx';
import { RejectedNodes } from './batch/rejected-nodes.tsx';

const concernsGraphs = ({ type }: { type: string }): boolean => type === 'graph';

export function BatchPage() {
  const { id = '' } = useRoute().params;
  const read = async () => {
    const { body: batch } = await client.get('/batches/:id', { params: { id } });
    return { batch, ended: await readBatchEnds(batch) };
  };
  const live = useLive(`batch ${id}`, read, concernsGraphs);
  const cancel = async () => {
    await client.put('/batches/:id/action', { params: { id }, body: { command: 'cancel' } });
    live.reload();
  };
  return (
    <LiveContent live={live}>
      {({ batch, ended }) => (
        <>
          <BatchHead batch={batch} />
          {hasMore(batch) && (
            <NeedsRight>
              <ActionButton kind="danger" run={cancel}>
                Cancel: launch no more, and cancel what is active
              </ActionButton>
            </NeedsRight>
          )}
          <RejectedNodes rejected={batch.rejected} />
          {ended.length > 0 && (
            <>
              <h2>Failed and cancelled</h2>
              <WindowedList
                label="Failed and cancelled workflows"
                rows={ended}
                keyOf={(one) => one.id}
                empty=""
                columns={[
                  { title: 'node', width: '20%', card: 'name', cell: ({ node }) => <NodeLink id={node} /> },
                  { title: 'workflow', width: '15%', card: 'fact', cell: (one) => <WorkflowLink id={one.id} /> },
                  { title: 'status', width: '15%', card: 'state', cell: ({ status }) => <StatePill of={status} /> },
                  { title: 'error', width: '50%', card: 'line', cell: ({ error }) => error?.message },
                ]}
              />
            </>
          )}
          <h2>Launched</h2>
          <WindowedList
            label="Launched workflows"
            rows={batch.launched}
            keyOf={({ workflow }) => workflow}
            empty="No workflow is launched yet."
            columns={[
              { title: 'node', width: '50%', card: 'name', cell: ({ node }) => <NodeLink id={node} /> },
              { title: 'workflow', width: '50%', card: 'fact', cell: ({ workflow }) => <WorkflowLink id={workflow} /> },
            ]}
          />
        </>
      )}
    </LiveContent>
  );
}
