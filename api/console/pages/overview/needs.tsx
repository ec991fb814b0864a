/** The things that need a person, the most urgent first, each with its action. */
import type { ComponentChildren } from 'preact';
import { countText, nounFor } from '../../../../engine/vocabulary/count-texts.ts';
import { waitText } from '../../../client/wait-words.ts';
import { causeText } from '../../data/cause-texts.ts';
import type { ShownSummary } from '../../data/read-summary.ts';
import { toneOf, wordOf } from '../../data/shown-states.ts';
import { RetryAll } from '../../parts/bulk/retry-all.tsx';
import { Icon } from '../../parts/icon.tsx';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { stateIcon } from '../../parts/state-pill.tsx';
import { Ago, Took, Until } from '../../parts/time.tsx';
import type { NeedyRecords } from './read-needs.ts';
import { stateOfService } from './service-state.ts';

interface Need {
  key: string;
  /** Its tone and icon. */
  state: string;
  title: ComponentChildren;
  detail: ComponentChildren;
  action: ComponentChildren;
}

interface NeedsProps {
  needs: NeedyRecords;
  summary: ShownSummary | undefined;
  reload: () => void;
}

export function Needs(props: NeedsProps) {
  const needs = [...failureNeeds(props), ...stuckNeeds(props), ...fleetNeeds(props), ...serviceNeeds(props)];
  const isUrgent = ({ state }: Need) => toneOf(state) === 'failed';
  const ranked = needs.toSorted((one, other) => Number(isUrgent(other)) - Number(isUrgent(one)));
  if (ranked.length === 0) return <p class="quiet">Nothing needs you: no open failure, and no workflow is stuck.</p>;
  return (
    <ul class="needs" aria-label="Needs you">
      {ranked.map(({ key, state, title, detail, action }) => (
        <li key={key} class={`need ${toneOf(state)}`}>
          <Icon of={stateIcon(state)} />
          <div>
            <strong>{title}</strong>
            <p class="quiet">{detail}</p>
          </div>
          <div class="actions">{action}</div>
        </li>
      ))}
    </ul>
  );
}

function failureNeeds({ needs: { causes, causesTotal }, reload }: NeedsProps): Need[] {
  const lines = causes.map((cause): Need => {
    const { id, graph, code, sample, count, nodes, firstAt, lastAt } = cause;
    return {
      key: id,
      state: 'failed',
      title: <ShortText text={causeText(cause)} most={160} />,
      detail: (
        <>
          {countText(count, 'failure')} of <GraphLink name={graph} /> on{' '}
          <a href={`/ui/failures?cause=${encodeURIComponent(id)}`}>{countText(nodes, 'node')}</a>
          {count > 1 && (
            <>
              , first <Ago at={firstAt} />
            </>
          )}
          , last <Ago at={lastAt} /> <code>{code}</code>
        </>
      ),
      action: (
        <>
          <NeedsRight>
            <RetryAll failure={cause} reload={reload} />
          </NeedsRight>
          <WorkflowLink id={sample} text="Why" tab="why" />
        </>
      ),
    };
  });
  if (causesTotal <= causes.length) return lines;
  const more: Need = {
    key: 'more causes',
    state: 'failed',
    title: `${countText(causesTotal - causes.length, 'more cause')} of failures`,
    detail: 'Of the last seven days, not addressed.',
    action: <a href="/ui/failures">All failures</a>,
  };
  return [...lines, more];
}

function stuckNeeds({ needs: { stuck: workflows, stuckTotal } }: NeedsProps): Need[] {
  const lines = workflows.map(
    ({ id, injectableName, node, waiting, updatedAt, dueAt }): Need => ({
      key: id,
      state: 'critical',
      title: (
        <>
          <NodeLink id={node} /> is stuck
          {waiting !== null && `: ${waiting.label ?? 'the graph'} waits for ${waitText(waiting)}`}
        </>
      ),
      detail: (
        <>
          <GraphLink name={injectableName} />, for <Took from={waiting?.since ?? updatedAt} to={null} />
          {dueAt !== null && (
            <>
              , ends <Until at={dueAt} />
            </>
          )}
        </>
      ),
      action: <WorkflowLink id={id} text="Why" tab="why" />,
    }),
  );
  if (stuckTotal <= workflows.length) return lines;
  const more: Need = {
    key: 'more stuck',
    state: 'critical',
    title: `${countText(stuckTotal - workflows.length, 'more workflow')} stuck`,
    detail: 'They wait longer than usual.',
    action: <a href="/ui/failures?view=stuck">All stuck workflows</a>,
  };
  return [...lines, more];
}

function fleetNeeds({ needs: { rollouts, tickets, hooks } }: NeedsProps): Need[] {
  return [
    ...rollouts.map(
      ({ id, name, reason, counts, graph }): Need => ({
        key: id,
        state: reason?.kind === 'gate' ? 'critical' : 'paused',
        title:
          reason?.kind === 'gate'
            ? `A gate has paused the rollout ${name}`
            : `The rollout ${name} waits for its next phase`,
        detail: (
          <>
            {countedStates(counts)}; <GraphLink name={graph} />
          </>
        ),
        action: <a href={`/ui/rollouts/${encodeURIComponent(id)}`}>Decide</a>,
      }),
    ),
    ...hooks.map(
      ({ id, name, error, waiting, at }): Need => ({
        key: id,
        state: 'critical',
        title: `The receiver of the hook ${name} does not take its deliveries`,
        detail: (
          <>
            {countText(waiting, 'delivery', 'deliveries')} waiting
            {waiting > 0 && at !== null && (
              <>
                , the oldest from <Ago at={at} />
              </>
            )}
            : <ShortText text={error ?? ''} most={160} />
          </>
        ),
        action: <a href={`/ui/hooks?${new URLSearchParams({ tab: 'deliveries', hook: id })}`}>Deliveries</a>,
      }),
    ),
    ...tickets.map(
      ({ id, graph, requestedBy, subjects, createdAt }): Need => ({
        key: id,
        state: 'requested',
        title: `${requestedBy ?? 'An unknown user'} asks for an approval of ${graph}`,
        detail: (
          <>
            {countText(subjects.length, 'node')}, asked <Ago at={createdAt} />
          </>
        ),
        action: <a href="/ui/rollouts?tab=tickets">Decide</a>,
      }),
    ),
  ];
}

/** `2 failed, 3 pending`, without what there is none of. */
const countedStates = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([state, count]) => (count === 0 ? [] : [`${count} ${wordOf(state)}`]))
    .join(', ');

function serviceNeeds({ summary }: NeedsProps): Need[] {
  if (summary === undefined) return [];
  const { bmcs, backup, stores, broker } = summary;
  const { disk, freePercent, hasOldBackup } = stateOfService(summary);
  const lines: (Need | false)[] = [
    stores !== 'up' && {
      key: 'stores',
      state: 'critical',
      title: 'A store does not answer',
      detail: 'No workflow continues until it answers again.',
      action: <a href="/ui/admin?tab=daemons">State of the daemon</a>,
    },
    broker === 'down' && {
      key: 'broker',
      state: 'critical',
      title: 'The broker does not answer',
      detail: `${countText(summary.backlog.events, 'event')} are kept for it, in their order.`,
      action: <a href="/ui/admin?tab=daemons">State of the daemon</a>,
    },
    disk !== 'ok' && {
      key: 'disk',
      state: disk,
      title: `${freePercent} % of the disk is free`,
      detail: <code>{summary.disk.path}</code>,
      action: <a href="/ui/admin?tab=config">Retention</a>,
    },
    bmcs.circuitsOpen > 0 && {
      key: 'bmcs',
      state: 'warning',
      title: `${countText(bmcs.circuitsOpen, 'BMC')} without an answer`,
      detail: `${nounFor(bmcs.circuitsOpen, 'Its circuit is', 'Their circuits are')} open: no command is sent until the next try.`,
      action: <a href="/ui/admin?tab=bmcs">BMCs</a>,
    },
    hasOldBackup && {
      key: 'backup',
      state: 'warning',
      title: backup.lastAt === null ? 'There is no backup yet' : 'The last backup is older than a week',
      detail: (
        <>
          <code>nodewright backup create FILE</code> makes one while the daemon runs.
        </>
      ),
      action: backup.lastAt !== null && <Ago at={backup.lastAt} />,
    },
  ];
  return lines.filter((line) => line !== false);
}
