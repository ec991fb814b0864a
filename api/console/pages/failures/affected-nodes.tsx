/** The nodes that a cause affects, each with its workflow and its own message. */
import type { GetAnswer } from '../../../client/requests.ts';
import { affectedWorkflows } from '../../data/affected-workflows.ts';
import { useLive } from '../../data/live.ts';
import { newestOfNodes } from '../../data/newest-of-nodes.ts';
import { BulkCommands } from '../../parts/bulk/bulk-commands.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';

interface AffectedNodesProps {
  failure: GetAnswer<'/failures'>[number];
  reload: () => void;
}

export function AffectedNodes({ failure, reload }: AffectedNodesProps) {
  const { id, kind, lastAt, count } = failure;
  const live = useLive(`affected ${id} ${lastAt} ${count}`, () => affectedWorkflows(failure));
  return (
    <LiveContent live={live}>
      {(workflows) => (
        <>
          <DataTable
            label="Affected nodes"
            rows={newestOfNodes(workflows)}
            keyOf={({ workflow }) => workflow.id}
            empty="These workflows have continued, or were deleted."
            columns={[
              { title: 'node', cell: ({ workflow }) => <NodeLink id={workflow.node} /> },
              { title: 'workflow', cell: ({ workflow }) => <WorkflowLink id={workflow.id} tab="why" /> },
              { title: 'status', cell: ({ workflow }) => <WorkflowPill of={workflow} /> },
              {
                title: 'since',
                cell: ({ workflow: { finishedAt, waiting, updatedAt } }) => (
                  <Ago at={finishedAt ?? waiting?.since ?? updatedAt} />
                ),
              },
              { title: 'times', isNumber: true, cell: ({ count }) => count },
              {
                title: 'message',
                cell: ({ workflow: { error } }) => error && <ErrorText error={{ message: error.message }} most={200} />,
              },
            ]}
          />
          {kind === 'stuck' && (
            <NeedsRight>
              <div class="actions">
                <BulkCommands commands={['cancel', 'pause', 'resume']} workflows={workflows} reload={reload} />
              </div>
            </NeedsRight>
          )}
        </>
      )}
    </LiveContent>
  );
}
