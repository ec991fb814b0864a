/** One rehearsal: its figures, beside those of the real rollout as soon as there is one. */
import { useLocation, useRoute } from 'preact-iso';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Heading } from '../parts/heading.tsx';
import { inShort } from '../parts/in-short.ts';
import { GraphLink, NodeLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { RemoveButton } from '../parts/remove-button.tsx';
import { Ago } from '../parts/time.tsx';
import { figuresOf, type RealRollout } from './rehearsal/figures.ts';

type ShownRehearsal = GetAnswer<'/rehearsals/:id'>;

const MAX_FAILED = 1_000;

/** The first one with the same graph and seed, and thus the same targets, after the rehearsal. */
async function realRollout({ graph, seed, createdAt }: ShownRehearsal): Promise<RealRollout | undefined> {
  const query = { graph, seed, 'createdAt.gte': createdAt, sort: 'createdAt', $top: 1 } as const;
  const [rollout] = (await client.get('/rollouts', { query })).body;
  if (rollout === undefined) return undefined;
  const { id } = rollout;
  const failed = { status: 'failed', $top: MAX_FAILED } as const;
  return { rollout, failed: (await client.get('/rollouts/:id/targets', { params: { id }, query: failed })).body };
}

export function RehearsalPage() {
  const { id = '' } = useRoute().params;
  const read = async () => {
    const { body: rehearsal } = await client.get('/rehearsals/:id', { params: { id } });
    return { rehearsal, real: await realRollout(rehearsal) };
  };
  const live = useLive(`rehearsal ${id}`, read, ({ type }) => type === 'rollout');
  return (
    <LiveContent
      live={live}
      missing={
        <NoRecord what="rehearsal" id={id} list={{ path: '/ui/rollouts?tab=rehearsals', title: 'All rehearsals' }} />
      }
    >
      {({ rehearsal, real }) => (
        <>
          <Heading>Rehearsal of {inShort(rehearsal.name)}</Heading>
          <Summary rehearsal={rehearsal} />
          <p>
            {real === undefined ? (
              'The real rollout has not begun: its figures will be here.'
            ) : (
              <a href={`/ui/rollouts/${encodeURIComponent(real.rollout.id)}`}>The real rollout</a>
            )}
          </p>
          <DataTable
            label="Rehearsed and real"
            rows={figuresOf(rehearsal.report, rehearsal.phases, real)}
            keyOf={({ what }) => what}
            empty=""
            columns={[
              { title: 'figure', cell: ({ what }) => what },
              { title: 'rehearsed', cell: ({ usual }) => usual },
              { title: 'one of ten runs above', cell: ({ most }) => most },
              { title: 'real', cell: ({ actual }) => actual },
            ]}
          />
          <RejectedTargets rehearsal={rehearsal} />
        </>
      )}
    </LiveContent>
  );
}

function Summary({ rehearsal: { id, graph, createdBy, createdAt, seed, report } }: { rehearsal: ShownRehearsal }) {
  const { route } = useLocation();
  const remove = () => client.remove('/rehearsals/:id', { params: { id } }).then(() => route('/ui/rollouts'));
  return (
    <>
      <p>
        Rehearsal of <GraphLink name={graph} /> by {createdBy ?? 'an unknown user'}, <Ago at={createdAt} />
      </p>
      <p class="quiet">
        {report.runs} runs, with durations and failures of earlier runs, seed {seed}. Nothing of the site was touched.
      </p>
      <NeedsRight owner={null}>
        <div class="actions">
          <RemoveButton what="rehearsal" run={remove}>
            <p>The real rollout stays.</p>
          </RemoveButton>
        </div>
      </NeedsRight>
    </>
  );
}

const RejectedTargets = ({ rehearsal: { report } }: { rehearsal: ShownRehearsal }) => (
  <>
    <h2>Would be rejected</h2>
    <DataTable
      label="Targets that would be rejected"
      rows={report.rejections}
      keyOf={({ node, code }) => `${node} ${code}`}
      empty="No target would be rejected."
      columns={[
        { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
        { title: 'code', cell: ({ code }) => <code>{code}</code> },
        { title: 'reason', cell: ({ message }) => inShort(message) },
      ]}
    />
  </>
);
