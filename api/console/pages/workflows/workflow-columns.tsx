/** The columns of the list of workflows. */
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago, Took } from '../../parts/time.tsx';
import type { ListedWorkflow } from './read-list.ts';

interface WorkflowColumn {
  title: string;
  width: string;
  cell: (row: ListedWorkflow) => preact.ComponentChildren;
}

export const workflowColumns: readonly WorkflowColumn[] = [
  { title: 'id', width: '9%', cell: ({ id }) => <WorkflowLink id={id} /> },
  { title: 'status', width: '11%', cell: ({ status }) => <Status of={status} /> },
  { title: 'graph', width: '20%', cell: ({ injectableName }) => <GraphLink name={injectableName} /> },
  { title: 'node', width: '10%', cell: ({ node }) => <NodeLink id={node} /> },
  { title: 'by', width: '7%', cell: ({ launchedBy }) => launchedBy },
  { title: 'launched', width: '10%', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: 'took', width: '7%', cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} /> },
  { title: 'progress, or error', width: '26%', cell: (row) => <Outcome row={row} /> },
];

function Outcome({ row: { error, progress, status } }: { row: ListedWorkflow }) {
  if (error !== null) return <code title={error.message}>{error.code}</code>;
  if (status === 'succeeded' || status === 'cancelled') return null;
  return (
    <>
      {progress.percentage} {progress.description}
    </>
  );
}
