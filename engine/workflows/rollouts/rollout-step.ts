/**
 * The step of a rollout: from its state and what happened to its targets to the next state and its effects. Pure.
 *
 * 1. A target begins only in the current phase, while the rollout runs, and only if neither the limit of running targets nor that of
 *    one of its groups would be exceeded. Of those that may begin, the one with the lowest sequence does.
 * 2. Ends come before beginnings: a gate that trips keeps everything from beginning in the same step. After the last end it
 *    stops nothing any more.
 * 3. A target that is not to begin because of a full group is parked in it, so that later steps do not read it again. It is looked
 *    at when the group has room: groups with room in which targets may be parked are `freed`.
 * 4. A phase begins when its targets may: not while a window is closed or a ticket is not approved.
 * 5. A step that changes nothing returns the same state and no effects.
 */
import { beginTargets } from './rollout-begin.ts';
import { RolloutDraft } from './rollout-draft.ts';
import { countEnd, gateReason } from './rollout-gates.ts';
import {
  isBlocked,
  isRolloutOver,
  openIn,
  type RolloutEffect,
  type RolloutState,
  type StepInput,
} from './rollout-state.ts';

export interface RolloutStep {
  state: RolloutState;
  effects: RolloutEffect[];
}

export function stepRollout(before: RolloutState, input: StepInput): RolloutStep {
  const draft = new RolloutDraft(before, input.at);
  if (isRolloutOver(before) && !before.isRetrying) return { state: before, effects: [] };
  takeEnds(draft, input);
  if (draft.state.isRetrying) moveFailed(draft, input);
  else if (draft.state.status === 'cancelled') cancelTargets(draft, input);
  else advancePhases(draft, input);
  if (draft.state.status === 'running' && !draft.state.isRetrying) beginTargets(draft, input);
  else noteFreed(draft, input);
  return { state: draft.state, effects: draft.effects };
}

function takeEnds(draft: RolloutDraft, { ended, rejected }: StepInput): void {
  const tripped = new Set<number>();
  const note = (index: number | undefined) => void (index !== undefined && tripped.add(index));
  for (const end of ended) {
    const { target, status, error } = end;
    const { workflow } = target;
    draft.settle(target, 'running', { status, reason: null, error, ...(workflow !== null && { workflow }) });
    note(countEnd(draft, end));
  }
  for (const { target, why, error } of rejected) {
    if (why === 'rejected') {
      draft.settle(target, 'running', { status: 'failed', reason: null, error });
      note(countEnd(draft, { target: { ...target, workflow: null }, status: 'failed', error }));
    } else if (why === 'gone') {
      draft.settle(target, 'running', { status: 'skipped', reason: 'gone', error: null });
    } else if (why !== 'window' && draft.state[why === 'busy' ? 'onBusy' : 'onHeld'] === 'skip') {
      draft.settle(target, 'running', { status: 'skipped', reason: why, error: null });
    } else {
      draft.count(target, 'running', 'waiting');
      const { id, phase, sequence } = target;
      draft.effects.push({ kind: 'wait', target: id, phase, sequence, reason: why });
    }
  }
  const [first] = [...tripped].sort((a, b) => a - b);
  const { status, reason, isRetrying } = draft.state;
  const mayPause = status === 'running' || (status === 'paused' && reason?.kind !== 'gate');
  if (first !== undefined && mayPause && !isRetrying && draft.isOpen) draft.pause(gateReason(draft.state, first));
}

/** Moves failed targets to the last phase, which begins when all are there. */
function moveFailed(draft: RolloutDraft, input: StepInput): void {
  const { state } = draft;
  const last = state.phases.length - 1;
  const into = state.phases[last];
  if (into === undefined) return;
  for (const { id, phase, sequence } of input.failed) {
    const from = state.phases[phase];
    if (from === undefined) continue;
    from.counts.failed -= 1;
    from.targets -= 1;
    into.counts.pending += 1;
    into.targets += 1;
    draft.effects.push({ kind: 'move', target: id, phase: last, sequence });
  }
  if (input.failed.length > 0) return;
  state.isRetrying = false;
  into.size = Math.max(1, into.targets);
  advancePhases(draft, input);
}

function cancelTargets(draft: RolloutDraft, { leftovers, running }: StepInput): void {
  for (const target of leftovers)
    draft.settle(target, target.status, { status: 'skipped', reason: 'cancelled', error: null });
  if (draft.state.cancelRunning) {
    for (const { id, sequence, workflow } of running)
      if (workflow !== null) draft.effects.push({ kind: 'cancel', target: id, sequence, workflow });
  }
  if (!draft.isOpen) draft.end();
}

function advancePhases(draft: RolloutDraft, { blockedBy }: Pick<StepInput, 'blockedBy'>): void {
  const { state } = draft;
  if (state.status === 'paused' && isBlocked(state) && blockedBy === undefined) draft.resume();
  if (draft.phase.startedAt === null && !beginUnlessBlocked(draft, state.phase, blockedBy)) return;
  for (;;) {
    if (draft.phase.finishedAt === null) {
      if (openIn(draft.phase.counts) > 0) break;
      draft.finishPhase();
    }
    if (draft.isLastPhase) return void draft.end();
    if (state.status === 'running' && draft.phase.advance === 'manual') return void draft.pause({ kind: 'phase' });
    if (!beginUnlessBlocked(draft, state.phase + 1, blockedBy)) return;
  }
  const { pending, waiting } = draft.phase.counts;
  if (state.status === 'running' && blockedBy !== undefined && pending + waiting > 0) draft.pause({ kind: blockedBy });
}

/** @returns whether the phase begins */
function beginUnlessBlocked(draft: RolloutDraft, index: number, blockedBy: StepInput['blockedBy']): boolean {
  if (draft.state.status !== 'running') return false;
  if (blockedBy === undefined) draft.beginPhase(index);
  else draft.pause({ kind: blockedBy });
  return blockedBy === undefined;
}

/** While nothing begins, groups that have room now are kept until it continues. */
function noteFreed({ state }: RolloutDraft, { ended, rejected }: StepInput): void {
  if (isRolloutOver(state)) return;
  const groups = [...ended, ...rejected].flatMap(({ target }) => target.groups);
  if (groups.length > 0) state.freed = [...new Set([...state.freed, ...groups])];
}
