/** Failed workflows by their cause: what they have in common, and what to do with all of them. */
import { useSignal } from '@preact/signals';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { countText } from '../parts/count-texts.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { FailureCard } from './failures/failure-card.tsx';
import '../styles/rollouts.css';

const MAX_FAILURES = 100;

export function FailuresPage() {
  const choice = useSignal<'open' | 'all'>('open');
  const read = () => {
    const open = choice.value === 'open' ? { addressed: false } : {};
    return client.get('/failures', { query: { ...open, $top: MAX_FAILURES } });
  };
  const live = useLive(`failures ${choice.value}`, read, ({ action }) => action === 'finished');
  return (
    <>
      <Heading>Failures</Heading>
      <label class="field inline">
        <span>Of the last seven days</span>
        <select
          value={choice.value}
          onChange={({ currentTarget }) => {
            choice.value = currentTarget.value === 'all' ? 'all' : 'open';
          }}
        >
          <option value="open">open</option>
          <option value="all">open and addressed</option>
        </select>
      </label>
      <LiveContent live={live}>
        {({ body, total = body.length }) => (
          <>
            <p class="quiet" role="status">
              {total === 0
                ? 'No open failure: all workflows of the last seven days succeeded, or their failures are addressed.'
                : countText(total, 'cause')}
            </p>
            {body.map((failure) => (
              <FailureCard key={failure.id} failure={failure} reload={live.reload} />
            ))}
          </>
        )}
      </LiveContent>
    </>
  );
}
