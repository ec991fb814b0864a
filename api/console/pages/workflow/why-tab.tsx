/** Why a workflow does not continue: its waits as sentences, with their ends, and what can be done. */

import type { GetAnswer } from '../../../client/requests.ts';
import { usualTime } from '../../../client/usual-time.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { CaptureState, ConsoleLines } from '../../parts/console-lines.tsx';
import { countText } from '../../parts/count-texts.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Ago, Took, Until } from '../../parts/time.tsx';
import { LazyEndedReason } from './lazy-reason.ts';
import { isUnderWay, type WorkflowPartProps } from './shown-workflow.ts';
import { WhySuggestions } from './why-suggestions.tsx';

type WhyRecord = GetAnswer<'/workflows/:id/why'>;

export function WhyTab({ workflow, reload }: WorkflowPartProps) {
  const { id } = workflow;
  const live = useLive(
    `why ${id}`,
    async () => (await client.get('/workflows/:id/why', { params: { id } })).body,
    ({ typeId }) => typeId === id,
  );
  if (!isUnderWay(workflow)) return <LazyEndedReason workflow={workflow} />;
  const act = () => {
    reload();
    live.reload();
  };
  return (
    <LiveContent live={live}>
      {({ waits, holder, bmc, agent, suggestions, console: lines, capture }) => (
        <>
          {holder !== null && holder.workflow !== id && (
            <p>
              On the node runs <WorkflowLink id={holder.workflow} text={holder.graphName} />, launched by{' '}
              {holder.launchedBy ?? 'an unknown user'} <Ago at={holder.since} />.
            </p>
          )}
          {waits.length === 0 && <p>It does not wait for anything.</p>}
          {waits.map((wait, index) => (
            <OneWait key={`${index} ${wait.label}`} wait={wait} />
          ))}
          {bmc !== null && <BmcLine bmc={bmc} />}
          {agent !== null && (
            <p>
              The agent of the node was last seen <Ago at={agent.lastSeenAt} /> from {agent.address}.
            </p>
          )}
          {capture !== null && (
            <section aria-label="The console of the machine">
              <p>
                The newest lines of its console: <CaptureState capture={capture} />
              </p>
              <ConsoleLines lines={lines ?? []} />
            </section>
          )}
          <WhySuggestions workflow={workflow} suggestions={suggestions} reload={act} />
        </>
      )}
    </LiveContent>
  );
}

function OneWait({
  wait: { label, detail, since, dueAt, then: outcome, usualMs },
}: {
  wait: WhyRecord['waits'][number];
}) {
  return (
    <section class="callout" aria-label={`Wait of ${label ?? 'the graph'}`}>
      <p>
        <strong>{label ?? 'the graph'}</strong>: <Sentence text={detail} />
        {since !== null && (
          <>
            , for <Took from={since} to={null} />
          </>
        )}
        .
      </p>
      {dueAt !== null && (
        <p>
          It ends <Until at={dueAt} />
          {outcome !== null && (
            <>
              : <Sentence text={outcome} />
            </>
          )}
          .
        </p>
      )}
      {usualMs !== null && <p class="quiet">Usually it takes {usualTime(usualMs)}.</p>}
    </section>
  );
}

function BmcLine({ bmc: { address, retryAt, failures, lastAnswerAt } }: { bmc: NonNullable<WhyRecord['bmc']> }) {
  return (
    <p>
      The BMC at {address}{' '}
      {lastAnswerAt === null ? (
        'has not answered yet'
      ) : (
        <>
          answered <Ago at={lastAnswerAt} />
        </>
      )}
      {retryAt !== null && (
        <>
          ; its circuit is open after {countText(failures, 'failure')}: it gets its next command <Until at={retryAt} />
        </>
      )}
      .
    </p>
  );
}
