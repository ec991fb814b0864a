/** The columns of the list of workflows. */
import { waitText } from '../../../client/wait-words.ts';
import { ErrorText } from '../../parts/error-text.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import type { ChoosableColumn } from '../../parts/table/choosable-column.ts';
import { Ago, Took, Until } from '../../parts/time.tsx';
import type { FoldedRow } from './folded-rows.ts';
import type { ListedWorkflow } from './read-list.ts';

type Row = FoldedRow<ListedWorkflow>;

type Fold = (id: string) => void;

/** @param fold shows the children of a workflow, or hides them */
export const workflowColumns = (unfolded: ReadonlySet<string>, fold: Fold): ChoosableColumn<Row>[] => [
  {
    name: 'graph',
    title: 'graph',
    use: 'always',
    width: '12.5rem',
    card: 'name',
    sort: 'injectableName',
    cell: (row) => (
      <span class={row.isBelow ? 'below' : undefined}>
        <GraphLink name={row.injectableName} /> <FoldButton row={row} isOpen={unfolded.has(row.id)} fold={fold} />
      </span>
    ),
  },
  {
    name: 'status',
    title: 'status',
    width: '7.25rem',
    card: 'state',
    sort: 'status',
    cell: (row) => <WorkflowPill of={row} />,
  },
  {
    name: 'wait',
    title: 'waits for, or error',
    width: '15rem',
    grows: true,
    card: 'line',
    cell: (row) => <Outcome row={row} />,
  },
  {
    name: 'done',
    title: 'done',
    width: '3.75rem',
    card: 'fact',
    cell: (row) => row.finishedAt === null && row.progress.percentage,
  },
  { name: 'node', title: 'node', width: '5rem', card: 'fact', cell: ({ node }) => <NodeLink id={node} /> },
  {
    name: 'launched',
    title: 'launched',
    width: '6.5rem',
    card: 'fact',
    sort: '-createdAt',
    cell: ({ createdAt }) => <Ago at={createdAt} />,
  },
  {
    name: 'started',
    title: 'started',
    use: 'chosen',
    width: '6.5rem',
    card: 'none',
    sort: '-startedAt',
    cell: ({ startedAt }) => startedAt !== null && <Ago at={startedAt} />,
  },
  {
    name: 'ended',
    title: 'ended',
    use: 'chosen',
    width: '6.5rem',
    card: 'none',
    sort: '-finishedAt',
    cell: ({ finishedAt }) => finishedAt !== null && <Ago at={finishedAt} />,
  },
  {
    name: 'took',
    title: 'took',
    width: '6rem',
    card: 'none',
    cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} />,
  },
  { name: 'by', title: 'by', width: '5rem', card: 'none', sort: 'launchedBy', cell: (row) => <By row={row} /> },
  { name: 'id', title: 'id', width: '5.75rem', card: 'fact', cell: ({ id }) => <WorkflowLink id={id} /> },
];

/** px: there is nothing to say of the outcome of some. */
export const workflowCardHeight = ({ error, status }: Row): number =>
  error === null && (status === 'succeeded' || status === 'cancelled') ? 56 : 80;

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
  if (error !== null) return <ErrorText error={error} />;
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
