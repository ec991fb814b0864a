/** The state of everything at a glance: each figure leads to its list. */
import { lazy } from 'preact-iso';
import type { Got } from '../../client/requests.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { MINUTES, readRates } from '../data/rates.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../parts/links.tsx';
import { Shown } from '../parts/shown.tsx';
import { Ago, Until } from '../parts/time.tsx';
import { FailedWorkflows } from './overview/failed.tsx';

const Chart = lazy(() => import('../parts/chart.tsx').then(({ Chart: chart }) => chart));

export function Overview() {
  const summary = useLive('summary', async () => (await client.get('/summary')).body, concernsWork);
  const rates = useLive('rates', readRates, concernsWork);
  return (
    <>
      <Heading>Overview</Heading>
      <Shown live={summary}>{(found) => <Figures summary={found} />}</Shown>
      <h2>Started and finished per minute, the last {MINUTES} minutes</h2>
      <Shown live={rates}>
        {({ times, started, finished }) => (
          <Chart
            label={`${sum(started)} workflows started and ${sum(finished)} finished in the last ${MINUTES} minutes`}
            times={times}
            lines={[
              { title: 'started', color: '--accent', values: started },
              { title: 'finished', color: '--good', values: finished },
            ]}
          />
        )}
      </Shown>
      <h2>Stuck</h2>
      <StuckWorkflows />
      <h2>Failed in the last 24 hours, by reason</h2>
      <FailedWorkflows />
    </>
  );
}

const concernsWork = ({ type }: { type: string }): boolean => type === 'graph' || type === 'node';
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type Summary = Got<'/summary'>;

interface Figure {
  title: string;
  value: string | number;
  /** Absent: no list. */
  path?: string;
  isBad?: boolean;
}

function Figures({ summary }: { summary: Summary }) {
  return (
    <ul class="figures">
      {figuresOf(summary).map(({ title, value, path, isBad }) => (
        <li key={title} class={isBad ? 'bad' : undefined}>
          {path === undefined ? (
            <div>
              <strong>{value}</strong> {title}
            </div>
          ) : (
            <a href={path}>
              <strong>{value}</strong> {title}
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

const number = new Intl.NumberFormat();

function figuresOf({ workflows, nodes, backlog, bmcs, broker, stores, disk, backup }: Summary): Figure[] {
  const { running = 0, pending = 0, failed = 0 } = workflows.byStatus;
  const free = Math.round((100 * disk.freeBytes) / disk.totalBytes);
  return [
    { title: 'running', value: number.format(running), path: '/ui/workflows?status=running' },
    { title: 'pending', value: number.format(pending), path: '/ui/workflows?status=pending' },
    { title: 'stuck', value: workflows.stuck, path: '/ui/workflows?view=stuck', isBad: workflows.stuck > 0 },
    { title: 'failed', value: number.format(failed), path: '/ui/workflows?status=failed' },
    { title: `nodes, ${number.format(nodes.busy)} busy`, value: number.format(nodes.total), path: '/ui/nodes' },
    { title: 'BMCs resting', value: bmcs.resting, path: '/ui/admin?tab=bmcs', isBad: bmcs.resting > 0 },
    { title: 'jobs waiting', value: number.format(backlog.queue) },
    ...brokerFigures(broker, backlog.events),
    { title: 'hook deliveries waiting', value: number.format(backlog.hooks), path: '/ui/listeners' },
    { title: 'stores', value: stores, isBad: stores === 'down' },
    { title: 'of the disk free', value: `${free} %`, isBad: free < 10 },
    { title: 'last backup', value: backup.lastAt === null ? 'never' : backup.lastAt.slice(0, 10) },
  ];
}

/** Without a broker no event waits for it. */
function brokerFigures(broker: Summary['broker'], events: number): Figure[] {
  if (broker === 'none') return [{ title: 'broker', value: 'none' }];
  const isBad = broker === 'down';
  return [
    { title: 'events waiting for the broker', value: number.format(events), isBad },
    { title: 'broker', value: broker, isBad },
  ];
}

const STUCK = 20;

function StuckWorkflows() {
  const fields = 'id,injectableName,node,tasks,dueAt,updatedAt';
  const live = useLive(
    'stuck',
    async () => (await client.get('/workflows', { query: { stuck: true, fields, $top: STUCK } })).body,
    concernsWork,
  );
  return (
    <Shown live={live}>
      {(rows) => (
        <DataTable
          label="Stuck workflows"
          rows={rows}
          keyOf={({ id }) => id}
          empty="No workflow is stuck."
          columns={[
            { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
            { title: 'graph', cell: ({ injectableName }) => <GraphLink name={injectableName} /> },
            { title: 'task', cell: ({ tasks }) => waitingTasks(tasks) },
            { title: 'since', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
            { title: 'due', cell: ({ dueAt }) => (dueAt === null ? 'without a limit' : <Until at={dueAt} />) },
            { title: 'reason', cell: ({ id }) => <WorkflowLink id={id} text="why" tab="why" /> },
          ]}
        />
      )}
    </Shown>
  );
}

const waitingTasks = (tasks: Got<'/workflows/:id'>['tasks']): string =>
  tasks
    .filter(({ waitingOn }) => waitingOn !== null)
    .map(({ label, waitingOn }) => `${label} (${waitingOn})`)
    .join(', ');
