/** A task of a workflow: its state and times, why it waits or failed, its attempts, input, log and output. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { failedAttempts } from '../../../client/failed-attempts.ts';
import { preciseDuration } from '../../../client/usual-time.ts';
import { waitWords } from '../../../client/wait-words.ts';
import { Fact } from '../../parts/fact.tsx';
import { WorkflowLink } from '../../parts/links.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { StatePill, WorkflowPill } from '../../parts/state-pill.tsx';
import { Time, Took, Until } from '../../parts/time.tsx';
import { ValueRows } from '../../parts/value-rows.tsx';
import type { BelowWorkflow } from './below-workflows.ts';
import { OneOutput } from './command-outputs.tsx';
import { outputTexts } from './output-texts.ts';
import { WaitTimes } from './shown-waits.tsx';
import { isUnderWay, type ShownTask, type ShownWorkflow } from './shown-workflow.ts';
import { useWhy } from './use-why.ts';
import { usePlan } from './workflow-plan.ts';

interface TaskDetailsProps {
  workflow: ShownWorkflow;
  task: ShownTask;
}

interface InspectorProps extends TaskDetailsProps {
  /** The workflow that it has launched last. */
  child?: BelowWorkflow | undefined;
}

export function TaskDetails({ workflow, task, child }: InspectorProps) {
  const { label, state } = task;
  const planned = usePlan(workflow)?.tasks.find((one) => one.label === label);
  const input = planned?.options ?? workflow.options[label];
  const texts = outputTexts([task]);
  const isOpen = state === 'running' || state === 'waiting';
  return (
    <section class="task-details" aria-label={`Task ${label}`}>
      <h2>
        {label} <StatePill of={state} />
      </h2>
      <TaskFacts task={task} usual={planned?.usualMs ?? null} />
      {child !== undefined && (
        <p>
          It runs <WorkflowLink id={child.id} text={child.injectableName} /> <WorkflowPill of={child} />
          <span class="quiet"> A click on the task in the drawing unfolds it, and folds it again.</span>
        </p>
      )}
      {isOpen && isUnderWay(workflow) && <TaskWhy workflow={workflow} task={task} />}
      <Attempts workflow={workflow} task={task} />
      <ValueRows title="Input" value={input} />
      {texts.length > 0 && (
        <>
          <h3>Log</h3>
          {texts.map((text) => (
            <OneOutput key={text.path} {...text} isInner />
          ))}
        </>
      )}
      <ValueRows title="Output" value={task.output} />
    </section>
  );
}

interface TaskFactsProps {
  task: ShownTask;
  usual: { p50: number; p90: number; runs: number } | null;
}

function TaskFacts({ task, usual }: TaskFactsProps) {
  const { taskName, attempts, maxAttempts, startedAt, finishedAt, waitingOn, nextAttemptAt, dueAt, progress } = task;
  return (
    <dl class="facts">
      <Fact name="Task" isLong>
        {taskName}
      </Fact>
      {attempts > 0 && maxAttempts > 1 && (
        <Fact name="Attempt">
          {attempts} of {maxAttempts}
        </Fact>
      )}
      {waitingOn !== null && <Fact name="Waits for">{waitWords[waitingOn]}</Fact>}
      {progress !== null && <Fact name="Progress">{progress.description || progress.percentage}</Fact>}
      {startedAt !== null && (
        <>
          <Fact name="Began">
            <Time at={startedAt} />
          </Fact>
          <Fact name={finishedAt === null ? 'Runs for' : 'Took'}>
            <Took from={startedAt} to={finishedAt} />
          </Fact>
        </>
      )}
      {nextAttemptAt !== null && (
        <Fact name="Next attempt">
          <Until at={nextAttemptAt} />
        </Fact>
      )}
      {dueAt !== null && nextAttemptAt === null && (
        <Fact name="Ends">
          <Until at={dueAt} />
        </Fact>
      )}
      {usual !== null && (
        <>
          <Fact name="Median">{preciseDuration(usual.p50)}</Fact>
          <Fact name="90th percentile">
            {preciseDuration(usual.p90)} <span class="quiet">{countText(usual.runs, 'run')}</span>
          </Fact>
        </>
      )}
    </dl>
  );
}

/** The reason of its wait. Until it is read, none. */
function TaskWhy({ workflow: { id }, task: { label } }: TaskDetailsProps) {
  const wait = useWhy(id).value.value?.waits.find((one) => one.label === label);
  if (wait === undefined) return null;
  return (
    <>
      <h3>Why</h3>
      <p class="sentence">
        <Sentence text={wait.detail} />.
      </p>
      <WaitTimes wait={wait} />
      <p>
        <WorkflowLink id={id} tab="why" text="All waits, and suggestions" />
      </p>
    </>
  );
}

function Attempts({ workflow: { id, status }, task }: TaskDetailsProps) {
  const ended = failedAttempts(task);
  if (ended.length === 0) return null;
  const hasFailed = status === 'failed' && (task.state === 'failed' || task.state === 'timeout');
  return (
    <>
      <h3>Attempts</h3>
      <ol class="plain">
        {ended.map(({ attempt, at, code, message }) => (
          <li key={`${attempt} ${at}`} class={hasFailed && attempt === task.attempts ? 'problem' : undefined}>
            Attempt {attempt}, <Time at={at} />: <Sentence text={message} /> <code>{code}</code>
          </li>
        ))}
      </ol>
      {hasFailed && (
        <p>
          <WorkflowLink id={id} tab="why" text="Remedy, and the effect of a retry" />
        </p>
      )}
    </>
  );
}
