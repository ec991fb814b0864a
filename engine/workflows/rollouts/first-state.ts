/** The state of a rollout at its creation. */
import { noFailures } from './rollout-gates.ts';
import { noCounts, type PhaseState, type RolloutState } from './rollout-state.ts';

export function firstState(
  shape: Pick<RolloutState, 'id' | 'gates' | 'limits' | 'onBusy' | 'onHeld'>,
  phases: readonly Pick<PhaseState, 'size' | 'advance' | 'targets'>[],
): RolloutState {
  return {
    ...shape,
    status: 'running',
    reason: null,
    phase: 0,
    phases: phases.map(({ size, advance, targets }, index) => {
      const counts = { ...noCounts(), pending: targets };
      return { index, size, advance, targets, counts, startedAt: null, finishedAt: null };
    }),
    gateCounts: noFailures(shape),
    freed: [],
    cancelRunning: false,
    isRetrying: false,
    events: 1,
    finishedAt: null,
  };
}
