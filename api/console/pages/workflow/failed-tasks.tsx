/** The tasks by which a workflow failed, with their attempts. */
import { countText } from '../../parts/count-texts.ts';
import { StatePill } from '../../parts/state-pill.tsx';
import { Time } from '../../parts/time.tsx';
import type { ShownTask, ShownWorkflow } from './shown-workflow.ts';

export function FailedTasks({ workflow: { status, tasks } }: { workflow: ShownWorkflow }) {
  const failed = tasks.filter(({ state }) => state === 'failed' || state === 'timeout');
  return (
    <>
      <p>
        The workflow has ended as {status}
        {failed.length === 0 && '; no task of it failed'}.
      </p>
      {failed.map((task) => (
        <FailedTask key={task.label} task={task} />
      ))}
    </>
  );
}

function FailedTask({ task: { label, taskName, state, attempts, error, attemptErrors } }: { task: ShownTask }) {
  return (
    <section class="callout" aria-label={`End of ${label}`}>
      <p>
        <strong>{label}</strong> ({taskName}) <StatePill of={state} /> after {countText(attempts, 'attempt')}
      </p>
      {error !== null && (
        <p>
          {error.message} <code>{error.code}</code>
        </p>
      )}
      {attemptErrors.length > 1 && (
        <ol>
          {attemptErrors.map(({ attempt, at, code, message }) => (
            <li key={attempt} value={attempt}>
              <Time at={at} /> {message} <code>{code}</code>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
