/** Workflows that failed, grouped by the code of their error. */
import type { Got } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Time } from '../../parts/time.tsx';

const DAY_MS = 86_400_000;
const MOST = 500;
/** Of each reason. */
const SHOWN = 10;
/** The most frequent reasons are unfolded. */
const OPEN = 3;

type Failed = Got<'/workflows'>[number];

export function FailedWorkflows() {
  const live = useLive('failed', readFailed, ({ type }) => type === 'graph');
  return <Shown live={live}>{(found) => <Reasons failed={found} />}</Shown>;
}

async function readFailed(): Promise<Failed[]> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const fields = 'id,injectableName,node,error,finishedAt';
  const query = { status: 'failed', fields, 'finishedAt.gte': since, sort: '-finishedAt', $top: MOST };
  return (await client.get('/workflows', { query })).body;
}

function Reasons({ failed }: { failed: readonly Failed[] }) {
  if (failed.length === 0) return <p class="quiet">No workflow failed.</p>;
  const groups = [...Map.groupBy(failed, ({ error }) => error?.code ?? 'without a code')];
  return (
    <>
      {groups
        .toSorted(([, one], [, other]) => other.length - one.length)
        .map(([code, all], place) => (
          <details key={code} open={place < OPEN}>
            <summary>
              <code>{code}</code> {all.length}
            </summary>
            <ul>
              {all.slice(0, SHOWN).map(({ id, injectableName, node, error, finishedAt }) => (
                <li key={id}>
                  <Time at={finishedAt} /> <NodeLink id={node} /> <WorkflowLink id={id} text={injectableName} />{' '}
                  <span class="quiet">{error?.message}</span>
                </li>
              ))}
            </ul>
          </details>
        ))}
    </>
  );
}
