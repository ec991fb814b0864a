/** The burn-ins of a node: what the latest one measured, those before it, and the start of another. */
import { type BurnInLine, burnInOf, burnInVerdictText, type ShownBurnIn } from '../../../client/burn-in-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { nodeCan } from '../../data/node-can.ts';
import { type ShownNode, useHolds, useOfNode } from '../../data/node-records.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { inShort } from '../../parts/in-short.ts';
import { LaunchButton } from '../../parts/launch/launch-button.tsx';
import { WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago, Time, Took } from '../../parts/time.tsx';

const SOURCE = 'burn-in';
/** The daemon keeps no more of a source. */
const KEPT = 10;

export function NodeBurnIn({ node }: { node: ShownNode }) {
  const { id, name } = node;
  const read = async () => {
    const parts = { params: { identifier: id }, query: { source: SOURCE } };
    return (await client.get('/nodes/:identifier/catalogs', parts)).body;
  };
  const live = useOfNode(SOURCE, id, read);
  const reason = nodeCan.launch(node, useHolds(id).value.value);
  return (
    <>
      <div class="actions">
        <LaunchButton title={`Burn in ${inShort(name)}`} graph="Graph.BurnIn" nodes={[node]} reason={reason}>
          Burn in…
        </LaunchButton>
      </div>
      <LiveContent live={live}>
        {([catalog]) => {
          if (catalog === undefined)
            return (
              <p class="quiet">
                No burn-in of the node has ended. It loads processors, memory, drives and network, and says what they
                reached.
              </p>
            );
          const latest = burnInOf(catalog.data);
          return (
            <>
              {latest === undefined ? (
                <p class="quiet">
                  The latest catalog {SOURCE} is no result of Graph.BurnIn.{' '}
                  <a href={`/ui/nodes/${encodeURIComponent(id)}?tab=catalogs&source=${SOURCE}`}>Catalog</a>
                </p>
              ) : (
                <LatestBurnIn burnIn={latest} />
              )}
              <EarlierBurnIns id={id} latest={catalog.id} />
            </>
          );
        }}
      </LiveContent>
    </>
  );
}

const VerdictPill = ({ of }: { of: BurnInLine['verdict'] }) => of && <StatePill of={of} text={burnInVerdictText(of)} />;

function LatestBurnIn({ burnIn: { run, verdict, startedAt, endedAt, lines, problems } }: { burnIn: ShownBurnIn }) {
  return (
    <>
      <p>
        <VerdictPill of={verdict} /> <Ago at={endedAt} />, begun <Time at={startedAt} />, took{' '}
        <Took from={startedAt} to={endedAt} />, workflow <WorkflowLink id={run} />
      </p>
      {problems.length > 0 && (
        <ul aria-label="Problems">
          {problems.map((problem) => (
            <li key={problem}>{inShort(problem)}</li>
          ))}
        </ul>
      )}
      <DataTable
        label="Results of the burn-in"
        rows={lines}
        keyOf={({ test, target }) => `${test} ${target}`}
        empty="It has no test."
        columns={[
          { title: 'test', cell: ({ test }) => test },
          { title: 'target', cell: ({ target }) => inShort(target) },
          { title: 'measured', cell: ({ measured }) => inShort(measured) },
          { title: 'limit', cell: ({ limit }) => limit },
          { title: 'result', cell: (line) => <VerdictPill of={line.verdict} /> },
          { title: 'took', cell: ({ startedAt: from, endedAt: to }) => to && <Took from={from} to={to} /> },
        ]}
      />
    </>
  );
}

/** Users of a team read the latest one only. */
function EarlierBurnIns({ id, latest }: { id: string; latest: string }) {
  const read = async () => (await client.get('/catalogs', { query: { node: id, source: SOURCE, $top: KEPT } })).body;
  const live = useOfNode('burn-ins', id, read);
  const earlier = (live.value.value ?? []).flatMap((one) => (one.id === latest ? [] : (burnInOf(one.data) ?? [])));
  if (earlier.length === 0) return null;
  return (
    <>
      <h2>Earlier burn-ins</h2>
      <DataTable
        label="Earlier burn-ins"
        rows={earlier}
        keyOf={({ run }) => run}
        empty=""
        columns={[
          { title: 'ended', cell: ({ endedAt }) => <Time at={endedAt} /> },
          { title: 'result', cell: ({ verdict }) => <VerdictPill of={verdict} /> },
          { title: 'took', cell: ({ startedAt, endedAt }) => <Took from={startedAt} to={endedAt} /> },
          { title: 'workflow', cell: ({ run }) => <WorkflowLink id={run} /> },
          { title: 'problems', cell: ({ problems }) => inShort(problems.join('; ')) },
        ]}
      />
    </>
  );
}
