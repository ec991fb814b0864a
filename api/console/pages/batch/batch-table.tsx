/** The workflows of a batch: the failed ones first, with a retry of all that failed. */
import { waitText } from '../../../client/wait-words.ts';
import type { BatchRow } from '../../data/batch-state.ts';
import { BulkCommands } from '../../parts/bulk/bulk-commands.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { StatePill, WorkflowPill } from '../../parts/state-pill.tsx';
import { Took } from '../../parts/time.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';

interface BatchTableProps {
  rows: readonly BatchRow[];
  reload: () => void;
}

export function BatchTable({ rows, reload }: BatchTableProps) {
  const newest = rows.flatMap(({ workflow, retry }) => retry ?? workflow ?? []);
  const failed = newest.filter(({ status }) => status === 'failed');
  return (
    <>
      <h2>Workflows</h2>
      {failed.length > 0 && (
        <NeedsRight>
          <div class="actions">
            <BulkCommands commands={['retry']} workflows={failed} reload={reload} />
          </div>
        </NeedsRight>
      )}
      <WindowedList
        label="Workflows of the batch, the failed ones first"
        rows={rows}
        keyOf={({ node, workflow }) => workflow?.id ?? String(node)}
        empty="No workflow is launched yet."
        columns={[
          { title: 'node', width: '15%', card: 'name', cell: ({ node }) => <NodeLink id={node} /> },
          { title: 'status', width: '18%', card: 'state', cell: (row) => <RowState row={row} /> },
          { title: 'now, or error', width: '47%', card: 'line', cell: (row) => <Now row={row} /> },
          {
            title: 'took',
            width: '8%',
            card: 'fact',
            cell: ({ workflow, retry }) => <RowTime workflow={retry ?? workflow} />,
          },
          {
            title: 'workflow',
            width: '12%',
            card: 'fact',
            cell: ({ workflow, retry }) => {
              const { id } = retry ?? workflow ?? {};
              return id !== undefined && <WorkflowLink id={id} />;
            },
          },
        ]}
      />
    </>
  );
}

function RowState({ row: { workflow, retry } }: { row: BatchRow }) {
  const newest = retry ?? workflow;
  if (newest === undefined) return <StatePill of="pending" />;
  return (
    <>
      <WorkflowPill of={newest} /> {retry !== undefined && <span class="quiet">retried</span>}
    </>
  );
}

/** The task that is under way, or the error. */
function Now({ row: { workflow, retry } }: { row: BatchRow }) {
  const newest = retry ?? workflow;
  if (newest === undefined) return <span class="quiet">waits for its turn</span>;
  const { error, waiting, status, progress } = newest;
  if (error !== null) return <ErrorText error={error} />;
  if (status !== 'running' && status !== 'pending') return null;
  if (waiting === null) return progress.description;
  return (
    <>
      <strong>{waiting.label ?? 'the graph'}</strong> waits for {waitText(waiting)}
    </>
  );
}

const RowTime = ({ workflow }: { workflow: BatchRow['workflow'] }) =>
  workflow === undefined ? null : <Took from={workflow.startedAt} to={workflow.finishedAt} />;
