/** The columns of the list of workflows. */
import { waitText } from '../../../client/wait-words.ts';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { Ago, Took, Until } from '../../parts/time.tsx';
import type { WindowedColumn } from '../../parts/windowed-list.tsx';
import type { FoldedRow } from './folded-rows.ts';
import type { ListedWorkflow } from './read-list.ts';

type Row = FoldedRow<ListedWorkflow>;

type Fold = (id: string) => void;

/** @param fold shows the children of a workflow, or hides them */
export const workflowColumns = (unfolded: ReadonlySet<string>, fold: Fold): WindowedColumn<Row>[] => [
  {
    title: 'graph',
    width: '18%',
    card: 'name',
    cell: (row) => (
      <span class={row.isBelow ? 'below' : undefined}>
        <GraphLink name={row.injectableName} /> <FoldButton row={row} isOpen={unfolded.has(row.id)} fold={fold} />
      </span>
    ),
  },
  { title: 'status', width: '8.5%', card: 'state', cell: (row) => <WorkflowPill of={row} /> },
  { title: 'waits for, or error', width: '36%', card: 'line', cell: (row) => <Outcome row={row} /> },
  { title: 'done', width: '4.5%', card: 'fact', cell: (row) => row.finishedAt === null && row.progress.percentage },
  { title: 'node', width: '7.5%', card: 'fact', cell: ({ node }) => <NodeLink id={node} /> },
  { title: 'launched', width: '7.5%', card: 'fact', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: 'took',
    width: '5.5%',
    card: 'none',
    cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} />,
  },
  { title: 'by', width: '5.5%', card: 'none', cell: (row) => <By row={row} /> },
  { title: 'id', width: '7%', card: 'fact', cell: ({ id }) => <WorkflowLink id={id} /> },
];

function FoldButton({ row: { id, children }, isOpen, fold }: { row: Row; isOpen: boolean; fold: Fold }) {
  if (children === 0) return null;
  const text = `${children} child ${children === 1 ? 'workflow' : 'workflows'}`;
  return (
    <button type="button" class="plain" aria-label={text} aria-expanded={isOpen} title={text} onClick={() => fold(id)}>
      {isOpen ? '▾' : '▸'} {children}
    </button>
  );
}

function Outcome({ row: { error, progress, status, waiting, below, dueAt } }: { row: Row }) {
  if (error !== null)
    return (
      <span title={error.message}>
        {error.message} <code>{error.code}</code>
      </span>
    );
  if (status === 'succeeded' || status === 'cancelled') return null;
  if (waiting === null) return progress.description;
  const { label } = below ?? waiting;
  return (
    <>
      <strong>{label ?? 'the graph'}</strong> waits for {waitText(below ?? waiting)}
      {dueAt !== null && below === null && (
        <>
          , due <Until at={dueAt} />
        </>
      )}
    </>
  );
}

function By({ row: { parent, isBelow, launchedBy } }: { row: Row }) {
  if (parent === null) return launchedBy;
  return isBelow ? 'parent' : <WorkflowLink id={parent} text="parent" />;
}
