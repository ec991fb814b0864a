/** Rollouts and targets as the API has them. */
import type { UsualMs } from '../../api-port/diagnosis.ts';
import type { RolloutRecord, TargetRecord } from '../../api-port/rollouts.ts';
import { now } from '../../platform/lib/clock.ts';
import type { TargetReason } from '../../vocabulary/states.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { estimateOf } from './rollout-estimate.ts';
import { isRolloutOver, type RolloutState, sumCounts } from './rollout-state.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

/** @param options without secrets @param usual duration of its graph @param times those of its window */
export function rolloutView(
  rollout: StoredRollout,
  options: Record<string, unknown>,
  usual: UsualMs | undefined,
  times?: StoredWindow,
): RolloutRecord {
  const { id, name, graph, definition, definitionHash, seed, order, window, ticket, state } = rollout;
  const { status, reason, phase, gates, limits, onBusy, onHeld, finishedAt } = state;
  const { createdBy, owner, createdAt, updatedAt, turns } = rollout;
  return {
    id,
    name,
    graph,
    definition,
    definitionHash,
    options,
    seed,
    status,
    reason,
    phase,
    phases: state.phases.map(({ acknowledge: _, ...shown }) => shown),
    counts: sumCounts(state.phases),
    gates: [...gates],
    limits,
    order,
    onBusy,
    onHeld,
    window,
    ticket,
    estimate: estimateOf(state, turns, usual, now(), times),
    createdBy,
    ...(owner !== undefined && { owner }),
    createdAt,
    updatedAt,
    finishedAt,
  };
}

export function targetView(stored: StoredTarget, state: RolloutState): TargetRecord {
  const { node, phase, sequence, status, workflow, attempts, startedAt, finishedAt, error } = stored;
  const reason = stored.reason ?? pendingReason(stored, state);
  return { node, phase, sequence, status, workflow, reason, attempts, startedAt, finishedAt, error };
}

/** Why a target of the current phase has not begun. It follows from the rollout: thousands of targets need no write for it. */
function pendingReason({ status, phase }: StoredTarget, state: RolloutState): TargetReason | null {
  if (status !== 'pending' || phase !== state.phase || isRolloutOver(state)) return null;
  const { kind } = state.reason ?? {};
  if (state.status === 'running') return 'limit';
  return kind === 'gate' || kind === 'window' ? kind : null;
}
