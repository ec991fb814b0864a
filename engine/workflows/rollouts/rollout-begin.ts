/** Which targets of a rollout begin in a step: by sequence, within the limits. */
import type { RolloutDraft } from './rollout-draft.ts';
import { LAUNCHES_PER_STEP, limitOf, type StepInput, type TargetState, tryIdOf } from './rollout-state.ts';

export function beginTargets(draft: RolloutDraft, input: StepInput): void {
  const { state } = draft;
  const { limits, phase } = state;
  const busy = busyAfterEnds(input);
  const isFull = (group: string) => (busy.get(group) ?? 0) >= limitOf(limits, group);
  let room = Math.min(LAUNCHES_PER_STEP, (limits.running ?? Number.POSITIVE_INFINITY) - draft.counts.running);
  const parkedIn = new Set<string>();
  const bySequence = input.nextTargets.filter((one) => one.phase === phase).sort((a, b) => a.sequence - b.sequence);
  for (const target of bySequence) {
    if (room <= 0) break;
    const full = target.groups.find(isFull);
    if (full === undefined) {
      room -= 1;
      for (const group of target.groups) busy.set(group, (busy.get(group) ?? 0) + 1);
      launch(draft, target);
    } else if (target.status === 'pending' && target.parked !== full) {
      parkedIn.add(full);
      const { id, sequence } = target;
      draft.effects.push({ kind: 'park', target: id, phase, sequence, group: full });
    }
  }
  const { ended, rejected, drained } = input;
  const released = [...ended, ...rejected].flatMap(({ target }) => target.groups);
  // A target that moved from one group to another, or began, leaves room to others that are parked in its groups.
  const freed = new Set([...state.freed, ...released]);
  state.freed = [...freed].filter((group) => !isFull(group) && (!drained.includes(group) || parkedIn.has(group)));
}

function launch(draft: RolloutDraft, target: TargetState): void {
  const { id, node, phase, sequence, status, groups, tries } = target;
  draft.count(target, status, 'running');
  const workflow = tryIdOf(draft.state.id, node, tries);
  draft.effects.push({ kind: 'launch', target: id, node, phase, sequence, workflow, groups });
}

/** By group: its running targets, without those that ended or were rejected. */
function busyAfterEnds({ busy, ended, rejected }: StepInput): Map<string, number> {
  const counts = new Map(Object.entries(busy));
  for (const { target } of [...ended, ...rejected])
    for (const group of target.groups) counts.set(group, (counts.get(group) ?? 0) - 1);
  return counts;
}
