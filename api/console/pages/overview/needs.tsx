/** Workflows that need a person: those that are stuck, with their waits, then those that failed, by reason. */
import { waitText } from '../../../client/wait-words.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { FailedWorkflows } from './failed-records.tsx';
import type { NeedyWorkflows } from './read-needs.ts';

export function Needs({ needs: { stuck, stuckTotal, failed, failedTotal } }: { needs: NeedyWorkflows }) {
  if (stuck.length === 0 && failed.length === 0)
    return <p class="quiet">No workflow is stuck, and none failed in the last 24 hours.</p>;
  return (
    <>
      {stuck.length > 0 && <StuckWorkflows stuck={stuck} total={stuckTotal} />}
      {failed.length > 0 && <FailedWorkflows failed={failed} total={failedTotal} />}
    </>
  );
}

function StuckWorkflows({ stuck, total }: { stuck: NeedyWorkflows['stuck']; total: number }) {
  return (
    <section class="need">
      <h3>
        <span aria-hidden="true">◐</span> {total} stuck
      </h3>
      <DataTable
        label="Stuck workflows"
        rows={stuck}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
          { title: 'graph', cell: ({ injectableName }) => <GraphLink name={injectableName} /> },
          {
            title: 'waits for',
            cell: ({ waiting }) => waiting && `${waiting.label ?? 'the graph'}: ${waitText(waiting)}`,
          },
          { title: 'since', cell: ({ waiting, updatedAt }) => <Ago at={waiting?.since ?? updatedAt} /> },
          { title: 'due', cell: ({ dueAt }) => (dueAt === null ? 'without a limit' : <Until at={dueAt} />) },
          { title: 'reason', cell: ({ id }) => <WorkflowLink id={id} text="why" tab="why" /> },
        ]}
      />
    </section>
  );
}
