/** A workflow in short: its graph, node, launcher and progress, and the time that is left by earlier runs. */
import { remainingText, usualTime } from '../../../client/usual-time.ts';
import { waitText } from '../../../client/wait-words.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Heading } from '../../parts/heading.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { clock, Time, Took } from '../../parts/time.tsx';
import { isUnderWay, type ShownWorkflow, type WorkflowPartProps } from './shown-workflow.ts';
import { WorkflowActions } from './workflow-actions.tsx';
import { usePlan } from './workflow-plan.ts';

export function WorkflowHeader({ workflow, reload }: WorkflowPartProps) {
  const { id, name, injectableName, definitionHash, node, progress, error, paused } = workflow;
  const { launchedBy, createdAt, startedAt, finishedAt, parent, retryOf, acknowledged, waiting } = workflow;
  return (
    <>
      <header class="titled">
        <Heading>
          {name} <WorkflowPill of={workflow} />
        </Heading>
        <WorkflowActions workflow={workflow} reload={reload} />
      </header>
      <dl class="facts">
        <Fact name="Graph" isLong>
          <GraphLink name={injectableName} /> <CopyableText text={definitionHash} short={6} />
        </Fact>
        <Fact name="Node">
          <NodeLink id={node} />
        </Fact>
        <Fact name="Id">
          <CopyableText text={id} />
        </Fact>
        <Fact name="By">{launchedBy ?? 'unknown'}</Fact>
        <Fact name="Launched">
          <Time at={createdAt} />
        </Fact>
        <Fact name={finishedAt === null ? 'Runs for' : 'Took'}>
          <Took from={startedAt} to={finishedAt} />
        </Fact>
        {finishedAt === null ? (
          <Fact name="Progress" isLong>
            <progress value={progress.value} max={progress.maximum || 1} aria-label="Progress" /> {progress.percentage}{' '}
            {waiting === null && progress.description}
          </Fact>
        ) : (
          <Fact name="Ended">
            <Time at={finishedAt} />
          </Fact>
        )}
        {waiting !== null && (
          <Fact name="Waits for" isLong>
            {waitText(waiting)}
            {waiting.label !== null && `, at ${waiting.label}`}, for <Took from={waiting.since} to={null} />
          </Fact>
        )}
        {isUnderWay(workflow) && <TimeLeft workflow={workflow} />}
        {paused !== null && isUnderWay(workflow) && (
          <Fact name="Paused">
            <Time at={paused.at} /> {paused.by !== null && `by ${paused.by}`}
          </Fact>
        )}
        {parent !== null && (
          <Fact name="Child of">
            <WorkflowLink id={parent} />
          </Fact>
        )}
        {retryOf !== null && (
          <Fact name="Retry of">
            <WorkflowLink id={retryOf} />
            {acknowledged.length > 0 && `, although it may have taken effect: ${acknowledged.join(', ')}`}
          </Fact>
        )}
      </dl>
      {error !== null && (
        <p class="problem">
          <ErrorText error={error} />
        </p>
      )}
    </>
  );
}

function TimeLeft({ workflow }: { workflow: ShownWorkflow }) {
  const usual = usePlan(workflow)?.usualMs ?? null;
  if (usual === null || workflow.startedAt === null) return null;
  const remainingTime = remainingText(usual, clock.value - Date.parse(workflow.startedAt));
  return (
    <Fact name="By earlier runs">
      <span title={`It takes ${usualTime(usual)}`}>{remainingTime}</span>
    </Fact>
  );
}
