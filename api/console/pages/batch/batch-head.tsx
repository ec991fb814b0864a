/** The state of a batch in numbers. */
import { batchCount, batchState, type ShownBatch } from '../../data/batch-state.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { Heading } from '../../parts/heading.tsx';
import { GraphLink } from '../../parts/links.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';
import { addressOfChoice } from '../workflows/list-choice.ts';

/** Something of it is active, or waits for its turn. */
export const hasMore = (batch: ShownBatch): boolean =>
  batch.waiting.length > 0 || batchCount(batch, 'pending', 'running') > 0;

export function BatchHead({ batch }: { batch: ShownBatch }) {
  const { id, name, launchedBy, concurrency, maxFailures, launched, waiting, counts, createdAt } = batch;
  const ended = batchCount(batch, 'succeeded', 'failed', 'cancelled');
  const total = launched.length + waiting.length;
  return (
    <>
      <Heading>
        Batch of <GraphLink name={name} />
      </Heading>
      <p>
        <CopyableText text={id} /> <StatePill of={batchState(batch)} /> by {launchedBy ?? 'an unknown user'},{' '}
        <Ago at={createdAt} />
        {concurrency !== null && `, ${concurrency} at a time`}
        {maxFailures !== null && `, stops after ${maxFailures} failures`}
      </p>
      <p>
        <progress aria-label="Ended workflows" value={ended} max={Math.max(1, total)} /> {ended} of {total} ended
        {waiting.length > 0 && `, ${waiting.length} wait for their turn`}
      </p>
      <ul class="figures">
        {Object.entries(counts as Record<string, number>).map(([title, count]) => (
          <li key={title} class={title === 'failed' && count > 0 ? 'failed' : undefined}>
            <a href={addressOfChoice({ batch: id, status: title })}>
              <strong>{count}</strong> {title}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
