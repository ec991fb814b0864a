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
  { title: 'id', width: '12%', cell: ({ id }) => <WorkflowLink id={id} /> },
  { title: 'status', width: '14%', cell: ({ status }) => <Status of={status} /> },
  { title: 'graph', width: '22%', cell: ({ injectableName }) => <GraphLink name={injectableName} /> },
  { title: 'node', width: '12%', cell: ({ node }) => <NodeLink id={node} /> },
  { title: 'by', width: '8%', cell: ({ launchedBy }) => launchedBy },
  { title: 'launched', width: '12%', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: 'took', width: '8%', cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} /> },
  { title: 'progress, or error', width: '12%', cell: (row) => <Outcome row={row} /> },
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
