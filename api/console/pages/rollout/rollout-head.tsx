/** The state of a rollout, and its rules. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { ShownRollout } from '../../data/command-reasons.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { Heading } from '../../parts/heading.tsx';
import { inShort } from '../../parts/in-short.ts';
import { GraphLink, NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { Estimate, RolloutPill, RolloutProgress } from '../../parts/rollout-status.tsx';
import { Ago } from '../../parts/time.tsx';

export function RolloutHead({ rollout }: { rollout: ShownRollout }) {
  const { id, name, graph, createdBy, createdAt, finishedAt, estimate, counts } = rollout;
  return (
    <>
      <Heading>
        {inShort(name)} <RolloutPill rollout={rollout} />
      </Heading>
      <p>
        <CopyableText text={id} /> <GraphLink name={graph} /> by {createdBy ?? 'an unknown user'},{' '}
        <Ago at={createdAt} />
        {finishedAt !== null && (
          <>
            , ended <Ago at={finishedAt} />
          </>
        )}
        {estimate !== null && (
          <>
            , takes <Estimate finishedAt={estimate.finishedAt} /> more
          </>
        )}
      </p>
      <p>
        <RolloutProgress counts={counts} />
      </p>
      <Reason rollout={rollout} />
      <p class="quiet">{rulesText(rollout)}</p>
    </>
  );
}

/** The targets that tripped a gate. */
function Reason({ rollout: { reason, gates } }: { rollout: ShownRollout }) {
  if (reason === null) return null;
  const { kind, since, by, gate, targets = [] } = reason;
  return (
    <section class="callout" aria-label="Why it is paused">
      <p>
        Paused <Ago at={since} />
        {kind === 'user' && ` by ${by ?? 'an unknown user'}`}
        {kind === 'phase' && ': a phase has ended, and the next one waits for you'}
        {kind === 'window' && ': its window is closed'}
        {kind === 'ticket' && ': its ticket is not approved yet'}
        {gate !== undefined && `: the gate "${gateText(gates[gate.index] ?? {})}" tripped`}
      </p>
      {targets.map(({ node, workflow }) => (
        <p key={node}>
          <NodeLink id={node} /> {workflow !== null && <WorkflowLink id={workflow} tab="why" text="why" />}
        </p>
      ))}
    </section>
  );
}

function gateText(gate: object): string {
  const { failures, failurePercent, health, scope = 'rollout' } = gate as Record<string, unknown>;
  if (health !== undefined) return `a node that is ${health}`;
  return failures === undefined
    ? `${failurePercent} % failed in a ${scope}`
    : `${countText(Number(failures), 'failure')} in a ${scope}`;
}

function rulesText({ limits, gates, order, onBusy, onHeld, definition, window, seed }: ShownRollout): string {
  const per = Object.entries(limits.per ?? {}).map(([relation, most]) => `${most} per ${relation}`);
  const running = limits.running === undefined ? [] : [`${limits.running} at a time`];
  return [
    ...running,
    ...per,
    ...gates.map((gate) => `stops at ${gateText(gate)}`),
    (order.by ?? 'random') === 'random' ? 'in random order' : `ordered by ${order.by}`,
    `busy nodes: ${onBusy}`,
    `held nodes: ${onHeld}`,
    ...(window === null ? [] : ['in a window']),
    definition === 'pinned' ? 'the version at its creation' : 'the newest version',
    `seed ${seed}`,
  ].join(', ');
}
