/** The child workflows in a timeline: a row for each, below which its own tasks and children unfold. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { stateNow } from '../../data/shown-states.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { type BelowWorkflow, childrenOf } from './below-workflows.ts';
import { timelineRows } from './timeline-bars.ts';
import { TimelineBars, TimelineRows, type TimelineScale } from './timeline-rows.tsx';
import { useWholeHistory } from './whole-history.ts';

interface ChildRowsProps {
  workflows: readonly BelowWorkflow[];
  /** Among which their children are. */
  all: readonly BelowWorkflow[];
  scale: TimelineScale;
  depth: number;
}

export function ChildRows({ workflows, ...others }: ChildRowsProps) {
  return workflows.map((workflow) => <ChildRow key={workflow.id} workflow={workflow} {...others} />);
}

type ChildRowProps = Omit<ChildRowsProps, 'workflows'> & { workflow: BelowWorkflow };

function ChildRow(props: ChildRowProps) {
  const { workflow, scale, depth } = props;
  const { id, injectableName, startedAt, finishedAt } = workflow;
  const isOpen = useSignal(false);
  const to = finishedAt === null ? undefined : Date.parse(finishedAt);
  const bars =
    startedAt === null ? [] : [{ from: Date.parse(startedAt), to, state: stateNow(workflow), error: undefined }];
  return (
    <>
      <div class="row">
        <span class="name" title={injectableName} style={{ paddingLeft: `${depth}rem` }}>
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen.value}
            aria-label={`Tasks of ${injectableName}`}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isOpen.value ? '▾' : '▸'}
          </button>{' '}
          <WorkflowPill of={workflow} /> <WorkflowLink id={id} text={injectableName} />
        </span>
        <TimelineBars bars={bars} scale={scale} />
      </div>
      {isOpen.value && <ChildTasks {...props} />}
    </>
  );
}

function ChildTasks({ workflow: { id }, all, scale, depth }: ChildRowProps) {
  const live = useWholeHistory(id);
  return (
    <LiveContent live={live}>
      {({ lines }) => (
        <>
          <ChildTaskRows lines={lines} scale={scale} depth={depth + 1} />
          <ChildRows workflows={childrenOf(id, all)} all={all} scale={scale} depth={depth + 1} />
        </>
      )}
    </LiveContent>
  );
}

interface ChildTaskRowsProps {
  lines: Parameters<typeof timelineRows>[0];
  scale: TimelineScale;
  depth: number;
}

function ChildTaskRows({ lines, scale, depth }: ChildTaskRowsProps) {
  const rows = useMemo(() => timelineRows(lines), [lines]);
  return <TimelineRows rows={rows} scale={scale} depth={depth} />;
}
