/** A batch: one graph on many nodes. */
import { useRoute } from 'preact-iso';
import { readBatchEnds, type ShownBatch } from '../data/batch-ends.ts';
import { mayOperate } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../parts/links.tsx';
import { Shown } from '../parts/shown.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';

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
    <Shown live={live}>
      {({ batch, ended }) => (
        <>
          <BatchHead batch={batch} />
          {mayOperate.value && hasMore(batch) && (
            <ActionButton kind="danger" run={cancel}>
              Cancel: launch no more, and cancel what is active
            </ActionButton>
          )}
          <Refused refused={batch.refused} />
          {ended.length > 0 && (
            <>
              <h2>Failed and cancelled</h2>
              <WindowedList
                label="Failed and cancelled workflows"
                rows={ended}
                keyOf={(one) => one.id}
                empty=""
                columns={[
                  { title: 'node', width: '20%', cell: ({ node }) => <NodeLink id={node} /> },
                  { title: 'workflow', width: '15%', cell: (one) => <WorkflowLink id={one.id} /> },
                  { title: 'status', width: '15%', cell: ({ status }) => <Status of={status} /> },
                  { title: 'error', width: '50%', cell: ({ error }) => error?.message },
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
              { title: 'node', width: '50%', cell: ({ node }) => <NodeLink id={node} /> },
              { title: 'workflow', width: '50%', cell: ({ workflow }) => <WorkflowLink id={workflow} /> },
            ]}
          />
        </>
      )}
    </Shown>
  );
}

const countOf = ({ counts }: ShownBatch, ...statuses: string[]): number =>
  statuses.reduce((total, status) => total + ((counts as Record<string, number>)[status] ?? 0), 0);

const hasMore = (batch: ShownBatch): boolean => batch.waiting.length > 0 || countOf(batch, 'pending', 'running') > 0;

function BatchHead({ batch }: { batch: ShownBatch }) {
  const { id, name, status, launchedBy, concurrency, maxFailures, launched, waiting, counts, createdAt } = batch;
  const ended = countOf(batch, 'succeeded', 'failed', 'cancelled');
  const total = launched.length + waiting.length;
  return (
    <>
      <h1>
        Batch of <GraphLink name={name} />
      </h1>
      <p>
        <Copyable text={id} /> <Status of={status} /> by {launchedBy ?? 'an unknown user'}, <Time at={createdAt} />
        {concurrency !== null && `, ${concurrency} at a time`}
        {maxFailures !== null && `, stops after ${maxFailures} failures`}
      </p>
      <p>
        <progress aria-label="Ended workflows" value={ended} max={Math.max(1, total)} /> {ended} of {total} ended
        {waiting.length > 0 && `, ${waiting.length} wait for their turn`}
      </p>
      <ul class="figures">
        {Object.entries(counts as Record<string, number>).map(([title, count]) => (
          <li key={title} class={title === 'failed' && count > 0 ? 'bad' : undefined}>
            <div>
              <strong>{count}</strong> {title}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Nodes of a reason that are shown. */
const NODES = 50;

function Refused({ refused }: Pick<ShownBatch, 'refused'>) {
  if (refused.length === 0) return null;
  const groups = [...Map.groupBy(refused, ({ code }) => code)];
  return (
    <>
      <h2>Refused: {refused.length}</h2>
      <DataTable
        label="Refused nodes, by reason"
        rows={groups}
        keyOf={([code]) => code}
        empty=""
        columns={[
          { title: 'reason', cell: ([code]) => <code>{code}</code> },
          { title: 'number', isNumber: true, cell: ([, nodes]) => nodes.length },
          { title: 'such as', cell: ([, [first]]) => first?.message },
          { title: 'nodes', cell: ([, nodes]) => <RefusedNodes ids={nodes.map(({ node }) => node)} /> },
        ]}
      />
    </>
  );
}

function RefusedNodes({ ids }: { ids: readonly string[] }) {
  return (
    <details>
      <summary>show</summary>
      {ids.slice(0, NODES).map((id) => (
        <span key={id}>
          <NodeLink id={id} />{' '}
        </span>
      ))}
      {ids.length > NODES && `and ${ids.length - NODES} more`}
    </details>
  );
}
