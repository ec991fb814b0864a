/** Why a workflow has failed: the task with its attempts, the remedy of the error, and the effect of a retry. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { failedTask } from '../../../../engine/vocabulary/failed-task.ts';
import { failedAttempts } from '../../../client/failed-attempts.ts';
import { meaningOf, onceLabels, recoveriesOf, remedyText } from '../../../client/failed-end.ts';
import { client } from '../../data/daemon-client.ts';
import { workflowCan } from '../../data/workflow-can.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Time } from '../../parts/time.tsx';
import { RetryButton } from './retry-button.tsx';
import type { ShownTask, ShownWorkflow } from './shown-workflow.ts';

export function EndedReason({ workflow }: { workflow: ShownWorkflow }) {
  const { finishedAt, tasks, error } = workflow;
  const task = failedTask(tasks, error);
  return (
    <>
      {task === undefined ? (
        <p>
          No task of it failed. It ended at <Time at={finishedAt} />
          {error !== null && (
            <>
              : <Sentence text={error.message} /> <code>{error.code}</code>
            </>
          )}
        </p>
      ) : (
        <FailedTask task={task} />
      )}
      {error?.compensations?.map(({ label, code, message }) => (
        <p key={label} class="problem">
          {label} did not undo what it should: {message} <code>{code}</code>
        </p>
      ))}
      {error !== null && <Remedy code={error.code} task={task} />}
      <RetryEffect workflow={workflow} task={task} />
    </>
  );
}

function FailedTask({ task }: { task: ShownTask }) {
  const { label, taskName, state, attempts, maxAttempts } = task;
  return (
    <section class="callout failed" aria-label={`End of ${label}`}>
      <p>
        <strong>{label}</strong> <StatePill of={state} /> after{' '}
        {maxAttempts > 1 ? `${attempts} of ${maxAttempts} attempts` : countText(attempts, 'attempt')}{' '}
        <span class="quiet">{taskName}</span>
      </p>
      <ol class="plain">
        {failedAttempts(task).map(({ attempt, at, code, message }) => (
          <li key={attempt}>
            Attempt {attempt} ended at <Time at={at} />: <Sentence text={message} /> <code>{code}</code>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Remedy({ code, task }: { code: string; task: ShownTask | undefined }) {
  const meaning = meaningOf(code);
  return (
    <section aria-label="Remedy">
      <h2>Remedy</h2>
      <p>
        {meaning !== undefined && <Sentence text={`${meaning.when} `} />}
        <Sentence text={remedyText(code, task)} />
      </p>
      {meaning !== undefined && (
        <p>
          <a href={`/docs/reference/errors/${code}`} target="_blank" rel="noreferrer">
            More about {code}
          </a>
        </p>
      )}
    </section>
  );
}

function RetryEffect({ workflow, task }: { workflow: ShownWorkflow; task: ShownTask | undefined }) {
  const { id, root, tasks } = workflow;
  const unsafe = useSignal<readonly string[]>([]);
  useEffect(() => {
    recoveriesOf(client, tasks).then(
      (recoveries) => {
        unsafe.value = onceLabels(tasks, recoveries);
      },
      () => {},
    );
  }, [id]);
  const done = tasks.filter(({ state }) => state === 'succeeded').map(({ label }) => label);
  return (
    <section aria-label="Retry">
      <h2>Retry</h2>
      {root === null ? (
        <p>
          It runs again from {task?.label ?? 'the place where it failed'}, as a new workflow.{' '}
          {done.length > 0 && `These count as done and do not run: ${done.join(', ')}.`}
        </p>
      ) : (
        <p>
          It is a part of another workflow: <WorkflowLink id={root} text="run that one again" />.
        </p>
      )}
      {unsafe.value.length > 0 && (
        <p>
          May have taken effect, and would run again: <strong>{unsafe.value.join(', ')}</strong>. Check the node first.
        </p>
      )}
      {workflowCan.retryFailed(workflow) === undefined && (
        <NeedsRight>
          <div class="actions">
            <RetryButton workflow={workflow} />
          </div>
        </NeedsRight>
      )}
    </section>
  );
}
