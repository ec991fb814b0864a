/** The gates of a rollout: when the failures of its targets stop it. */
import type { Gate } from '../../api-port/rollouts.ts';
import { isAsBadAs } from '../../inventory/health/report-changes.ts';
import type { HealthState } from '../../vocabulary/states.ts';
import type { RolloutDraft } from './rollout-draft.ts';
import { type GateCount, type RolloutState, SHOWN_TARGETS, type TargetEnd } from './rollout-state.ts';

/** Counts the end of a target. @returns the index of a gate that trips, the first of several; undefined: none does */
export function countEnd({ state }: RolloutDraft, { target, status, badHealth = [] }: TargetEnd): number | undefined {
  const entry = { node: target.node, workflow: target.workflow };
  for (const [index, gate] of state.gates.entries()) {
    const counts = 'health' in gate ? badHealth.includes(index) : status === 'failed';
    const before = state.gateCounts[index];
    if (!counts || before === undefined) continue;
    state.gateCounts[index] = {
      failures: before.failures + 1,
      targets: [...before.targets, entry].slice(-SHOWN_TARGETS),
    };
  }
  const tripped = state.gates.findIndex((_, index) => hasTripped(state, index));
  return tripped === -1 ? undefined : tripped;
}

function hasTripped(state: RolloutState, index: number): boolean {
  const [gate, count] = [state.gates[index], state.gateCounts[index]];
  if (gate === undefined || count === undefined || count.failures === 0) return false;
  if ('health' in gate) return true;
  if ('failures' in gate) return count.failures >= gate.failures;
  return count.failures * 100 >= gate.failurePercent * targetsOf(gate, state);
}

function targetsOf({ scope }: { scope?: 'phase' | 'rollout' }, { phases, phase }: RolloutState): number {
  if (scope === 'phase') return phases[phase]?.targets ?? 0;
  return phases.reduce((sum, { targets }) => sum + targets, 0);
}

/** The reason of the pause by a gate. */
export function gateReason({ gates, gateCounts }: RolloutState, index: number) {
  const gate: Gate | undefined = gates[index];
  return { kind: 'gate' as const, gate: { index, ...gate }, targets: gateCounts[index]?.targets ?? [] };
}

/** Returns the gates by health that a node in this state trips. */
export const gatesByHealth = (gates: readonly Gate[], health: HealthState): number[] =>
  gates.flatMap((gate, index) => ('health' in gate && isAsBadAs(health, gate.health) ? index : []));

const newCount = (): GateCount => ({ failures: 0, targets: [] });

/** Those that tripped count again from here on. */
export const afterResume = (state: RolloutState): GateCount[] =>
  state.gateCounts.map((count, index) => (hasTripped(state, index) ? newCount() : count));

export const noFailures = ({ gates }: Pick<RolloutState, 'gates'>): GateCount[] => gates.map(newCount);
