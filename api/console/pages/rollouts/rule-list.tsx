/** Rules: a launch or a hold on the node of each event that matches. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Ago } from '../../parts/time.tsx';

type Rule = GetAnswer<'/rules'>[number];

const MAX_RULES = 500;
const RUNS_SHOWN = 50;

export function RuleList() {
  const read = () => client.get('/rules', { query: { sort: 'name', $top: MAX_RULES } });
  const live = useLive('rules', read, ({ type }) => type === 'rule');
  return (
    <LiveContent live={live}>
      {({ body }) => (
        <DataTable
          label="Rules"
          rows={body}
          keyOf={({ id }) => id}
          empty="No rule: no event starts a graph by itself. nw rule add, or POST /rules, makes one."
          columns={[
            { title: 'name', cell: ({ name }) => inShort(name) },
            { title: 'state', cell: ({ enabled }) => (enabled ? 'enabled' : <span class="quiet">disabled</span>) },
            { title: 'events', cell: ({ on }) => <ShortText text={filterWords(on)} most={120} /> },
            { title: 'then', cell: ({ launch, hold }) => (launch ? <GraphLink name={launch.name} /> : holdText(hold)) },
            {
              title: 'limits',
              cell: ({ limits }) => `${limits.perNodePerDay} a node and day, ${limits.perHour} an hour`,
            },
            { title: 'actions', cell: (rule) => <RuleActions rule={rule} reload={live.reload} /> },
          ]}
        />
      )}
    </LiveContent>
  );
}

const filterWords = (filter: Rule['on']): string =>
  Object.entries(filter)
    .map(([field, pattern]) => `${field} ${pattern}`)
    .join(', ');

const holdText = (hold: Rule['hold']): string => (hold === undefined ? '' : `hold (${hold.kind}): ${hold.reason}`);

function RuleActions({ rule: { id, name, enabled }, reload }: { rule: Rule; reload: () => void }) {
  const change = () => client.patch('/rules/:id', { params: { id }, body: { enabled: !enabled } }).then(reload);
  const remove = () => client.remove('/rules/:id', { params: { id } }).then(reload);
  return (
    <span class="actions">
      <DialogButton text="Runs…" label={`Runs of ${inShort(name)}`} title={`Runs of ${inShort(name)}`}>
        {() => <RuleRuns id={id} />}
      </DialogButton>
      <NeedsRight owner={null} group="fleet">
        <ActionButton run={change}>{enabled ? 'Disable' : 'Enable'}</ActionButton>
        <RemoveButton what={`rule ${inShort(name)}`} run={remove}>
          <p>Workflows and holds that it has started stay.</p>
        </RemoveButton>
      </NeedsRight>
    </span>
  );
}

function RuleRuns({ id }: { id: string }) {
  const query = { sort: '-createdAt', $top: RUNS_SHOWN };
  const live = useLive(
    `runs of ${id}`,
    async () => (await client.get('/rules/:id/runs', { params: { id }, query })).body,
  );
  return (
    <LiveContent live={live}>
      {(runs) => (
        <DataTable
          label="Runs"
          rows={runs}
          keyOf={(run) => run.id}
          empty="It has not acted on an event yet."
          columns={[
            { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
            { title: 'event', cell: ({ type, action }) => `${type} ${action}` },
            {
              title: 'outcome',
              cell: ({ status, message }) => `${status}${message === undefined ? '' : `: ${message}`}`,
            },
            { title: 'workflow', cell: ({ workflow }) => workflow !== undefined && <WorkflowLink id={workflow} /> },
            { title: 'at', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          ]}
        />
      )}
    </LiveContent>
  );
}
