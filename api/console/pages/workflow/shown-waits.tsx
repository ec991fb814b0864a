/** The waits of a workflow as sentences: the one that matters first; those that another task ends are folded. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { usualTime } from '../../../client/usual-time.ts';
import { Sentence } from '../../parts/sentence.tsx';
import { Took, Until } from '../../parts/time.tsx';
import { foldedWaits } from './folded-waits.ts';
import type { ShownWait } from './use-why.ts';

export function ShownWaits({ waits }: { waits: readonly ShownWait[] }) {
  const { open, folded } = foldedWaits(waits);
  return (
    <>
      {open.map((wait, index) => (
        <OneWait key={`${index} ${wait.label}`} wait={wait} />
      ))}
      {folded.length > 0 && (
        <details>
          <summary>{countText(folded.length, 'wait')} that another task ends</summary>
          {folded.map((wait) => (
            <OneWait key={wait.label} wait={wait} />
          ))}
        </details>
      )}
    </>
  );
}

function OneWait({ wait }: { wait: ShownWait }) {
  const { label, waitingOn, usualMs } = wait;
  return (
    <section
      class={`callout ${waitingOn === null ? 'running' : 'waiting'}`}
      aria-label={`Wait of ${label ?? 'the graph'}`}
    >
      <p>
        <strong>{label ?? 'the graph'}</strong>: <Sentence text={wait.detail} />.
      </p>
      <WaitTimes wait={wait} />
      {usualMs !== null && <p class="quiet">Usually it takes {usualTime(usualMs)}.</p>}
    </section>
  );
}

export function WaitTimes({ wait: { since, waitingOn, dueAt, then: outcome } }: { wait: ShownWait }) {
  if (since === null && dueAt === null) return null;
  return (
    <p>
      {since !== null && (
        <>
          It {waitingOn === null ? 'has run' : 'has waited'} for <Took from={since} to={null} />.{' '}
        </>
      )}
      {dueAt !== null && (
        <>
          It ends <Until at={dueAt} />
          {outcome !== null && (
            <>
              : <Sentence text={outcome} />
            </>
          )}
          .
        </>
      )}
    </p>
  );
}
