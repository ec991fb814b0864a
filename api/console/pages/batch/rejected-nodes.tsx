/** The nodes that a batch could not launch on, by reason. */
import type { ShownBatch } from '../../data/batch-state.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { NodeLink } from '../../parts/links.tsx';

/** Nodes of a reason that are shown. */
const NODES_PER_REASON = 50;

export function RejectedNodes({ rejected }: Pick<ShownBatch, 'rejected'>) {
  if (rejected.length === 0) return null;
  const groups = [...Map.groupBy(rejected, ({ code }) => code)];
  return (
    <>
      <h2>Rejected: {rejected.length}</h2>
      <DataTable
        label="Rejected nodes, by reason"
        rows={groups}
        keyOf={([code]) => code}
        empty=""
        columns={[
          { title: 'reason', cell: ([code]) => <code>{code}</code> },
          { title: 'number', isNumber: true, cell: ([, nodes]) => nodes.length },
          { title: 'such as', cell: ([, [first]]) => first && <ErrorText error={{ message: first.message }} /> },
          { title: 'nodes', cell: ([, nodes]) => <NodesOfReason ids={nodes.map(({ node }) => node)} /> },
        ]}
      />
    </>
  );
}

function NodesOfReason({ ids }: { ids: readonly string[] }) {
  return (
    <details>
      <summary>show</summary>
      {ids.slice(0, NODES_PER_REASON).map((id) => (
        <span key={id}>
          <NodeLink id={id} />{' '}
        </span>
      ))}
      {ids.length > NODES_PER_REASON && `and ${ids.length - NODES_PER_REASON} more`}
    </details>
  );
}
