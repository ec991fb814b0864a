/** A batch: one graph on many nodes. */
import { useRoute } from 'preact-iso';
import { readBatchRows } from '../data/batch-workflows.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { BatchHead, hasMore } from './batch/batch-head.tsx';
import { BatchTable } from './batch/batch-table.tsx';
import { RejectedNodes } from './batch/rejected-nodes.tsx';

const concernsGraphs = ({ type }: { type: string }): boolean => type === 'graph';

export function BatchPage() {
  const { id = '' } = useRoute().params;
  const read = async () => {
    const { body: batch } = await client.get('/batches/:id', { params: { id } });
    return { batch, rows: await readBatchRows(batch) };
  };
  const live = useLive(`batch ${id}`, read, concernsGraphs);
  const cancel = async () => {
    await client.put('/batches/:id/action', { params: { id }, body: { command: 'cancel' } });
    live.reload();
  };
  return (
    <LiveContent
      live={live}
      missing={<NoRecord what="batch" id={id} list={{ path: '/ui/rollouts?tab=batches', title: 'All batches' }} />}
    >
      {({ batch, rows }) => (
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
          <BatchTable rows={rows} reload={live.reload} />
        </>
      )}
    </LiveContent>
  );
}
