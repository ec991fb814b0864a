/** Why a workflow does not continue: its waits as sentences, with their ends, and what can be done. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { CaptureState, ConsoleLines } from '../../parts/console-lines.tsx';
import { WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { LazyEndedReason } from './lazy-reason.ts';
import { ShownWaits } from './shown-waits.tsx';
import { isUnderWay, type WorkflowPartProps } from './shown-workflow.ts';
import { useWhy, type WhyRecord } from './use-why.ts';
import { WhySuggestions } from './why-suggestions.tsx';

export function WhyTab({ workflow, reload }: WorkflowPartProps) {
  const { id } = workflow;
  const live = useWhy(id);
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
          <ShownWaits waits={waits} />
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
