/** A task of a workflow: its attempts with their errors, its waits, its output. */
import { waitWords } from '../../../client/wait-words.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Time, Took, Until } from '../../parts/time.tsx';
import type { ShownTask } from './shown-workflow.ts';

export function TaskDetails({ task }: { task: ShownTask }) {
  const { label, taskName, state, attempts, maxAttempts, startedAt, finishedAt, waitingOn, error } = task;
  const { nextAttemptAt, dueAt, attemptErrors, output } = task;
  return (
    <section aria-label={`Task ${label}`}>
      <h2>
        {label} <StatePill of={state} />
      </h2>
      <p>
        {taskName}
        {attempts > 0 && `, attempt ${attempts} of ${maxAttempts}`}
        {waitingOn !== null && `, waits for ${waitWords[waitingOn]}`}
        {startedAt !== null && (
          <>
            , began <Time at={startedAt} />, {finishedAt === null ? 'runs for' : 'took'}{' '}
            <Took from={startedAt} to={finishedAt} />
          </>
        )}
        {nextAttemptAt !== null && (
          <>
            , next attempt <Until at={nextAttemptAt} />
          </>
        )}
        {dueAt !== null && nextAttemptAt === null && (
          <>
            , ends <Until at={dueAt} />
          </>
        )}
      </p>
      {error !== null && (
        <p class="problem">
          {error.message} <code>{error.code}</code>
        </p>
      )}
      {attemptErrors.length > 0 && (
        <ul>
          {attemptErrors.map(({ attempt, at, code, message }) => (
            <li key={`${attempt} ${at}`}>
              attempt {attempt}, <Time at={at} />: {message} <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      {output !== null && <JsonTree label={`Output of ${label}`} value={output} />}
    </section>
  );
}
