/** The newest workflows of a node: as bars over time, and as a table. */
import { useLocation } from 'preact-iso';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useOfNode } from '../../data/node-records.ts';
import { stateNow, toneOf, wordOf } from '../../data/shown-states.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { GraphLink, WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { clock, Time, Took } from '../../parts/time.tsx';
import { barsOf } from './workflow-bars.ts';

type ListedWorkflow = GetAnswer<'/nodes/:identifier/workflows'>[number];

const WORKFLOW_FIELDS = 'id,injectableName,status,paused,waiting,error,createdAt,startedAt,finishedAt,launchedBy';
const LATEST_WORKFLOWS = 50;

export function NodeWorkflows({ id }: { id: string }) {
  const read = () =>
    client.get('/nodes/:identifier/workflows', {
      params: { identifier: id },
      query: { fields: WORKFLOW_FIELDS, sort: '-createdAt', $top: LATEST_WORKFLOWS },
    });
  const live = useOfNode('workflows', id, read);
  return (
    <LiveContent live={live}>
      {({ body, total = body.length }) => (
        <>
          {body.length > 0 && <WorkflowBars workflows={body} />}
          <DataTable
            label="Workflows of the node"
            rows={body}
            keyOf={(one) => one.id}
            empty="No workflow has run on the node."
            columns={[
              { title: 'graph', cell: ({ injectableName }) => <GraphLink name={injectableName} /> },
              { title: 'workflow', cell: (one) => <WorkflowLink id={one.id} /> },
              { title: 'status', cell: (one) => <WorkflowPill of={one} /> },
              { title: 'created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'took', cell: ({ startedAt, finishedAt }) => <Took from={startedAt} to={finishedAt} /> },
              { title: 'by', cell: ({ launchedBy }) => launchedBy },
              { title: 'error', cell: ({ error }) => error && <ErrorText error={{ message: error.message }} /> },
            ]}
          />
          {total > body.length && (
            <p class="quiet">
              The newest {body.length} of {total}. <a href={`/ui/workflows?node=${encodeURIComponent(id)}`}>All</a>
            </p>
          )}
        </>
      )}
    </LiveContent>
  );
}

const ROW = 22;
const WIDTH = 1_000;

function WorkflowBars({ workflows }: { workflows: readonly ListedWorkflow[] }) {
  const { route } = useLocation();
  const { bars, rows, from, to } = barsOf(workflows, clock.value);
  const height = Math.max(1, rows) * ROW;
  return (
    <figure class="bars">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields. */}
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label="The same over time"
        style={{ height: `${height}px` }}
      >
        {bars.map(({ ran, left, width, row }) => (
          <a
            key={ran.id}
            href={`/ui/workflows/${encodeURIComponent(ran.id)}`}
            tabIndex={-1}
            aria-label={`${ran.injectableName}, ${wordOf(stateNow(ran))}`}
            onClick={(event) => {
              event.preventDefault();
              route(`/ui/workflows/${encodeURIComponent(ran.id)}`);
            }}
          >
            <rect
              class={toneOf(stateNow(ran))}
              x={left * WIDTH}
              y={row * ROW + 2}
              width={width * WIDTH}
              height={ROW - 4}
              rx={3}
            >
              <title>{`${ran.injectableName}, ${wordOf(stateNow(ran))}`}</title>
            </rect>
          </a>
        ))}
      </svg>
      <figcaption class="quiet">
        <Time at={new Date(from).toISOString()} /> <Time at={new Date(to).toISOString()} />
      </figcaption>
    </figure>
  );
}
