/** Rehearses a rollout: many runs with different draws, until there are enough or the time is over. */
import type {
  DrawnEnd,
  RehearsalBasis,
  RehearsalReport,
  RehearsalTarget,
  RehearsalWindow,
} from '../../api-port/rehearsals.ts';
import type { RolloutPlanRecord } from '../../api-port/rollouts.ts';
import { pause } from '../../platform/lib/pause.ts';
import { SeededRandom } from '../../platform/lib/seeded-random.ts';
import { firstState } from '../rollouts/first-state.ts';
import { hasRoom } from '../windows/window-room.ts';
import { windowState } from '../windows/window-state.ts';
import { reportOf } from './rehearsal-report.ts';
import { Rehearsal, type RehearsedRun, type RunPlan } from './rehearsed-run.ts';
import { placedTargets } from './rehearsed-targets.ts';

const RUNS = 50;
/** ms of all runs together. */
const ALL_RUNS_MS = 40_000;

export interface RehearsalLimits {
  /** ms of all runs together; at least one is made. */
  withinMs?: number;
  /** Ends it with the reason. */
  signal?: AbortSignal;
}

export interface RehearsalPlan {
  plan: Pick<RolloutPlanRecord, 'phases' | 'gates' | 'limits' | 'onBusy' | 'onHeld' | 'seed'>;
  targets: readonly RehearsalTarget[];
  rejections: RehearsalReport['rejections'];
  /** Ends of workflows, at least one: each target gets one of them. */
  samples: readonly DrawnEnd[];
  basis: RehearsalBasis;
  window?: RehearsalWindow;
  /** ms since 1970 */
  begin: number;
}

/** Yields to the event loop in between. @throws the reason of the signal */
export async function rehearse(
  { plan, targets, rejections, samples, basis, window, begin }: RehearsalPlan,
  { withinMs = ALL_RUNS_MS, signal }: RehearsalLimits = {},
): Promise<RehearsalReport> {
  const { phases, seed, gates, limits, onBusy, onHeld } = plan;
  const shape = { id: 'rehearsal', gates, limits, onBusy, onHeld };
  const state = firstState(
    shape,
    phases.map(({ size, targets: count }) => ({ size, targets: count, advance: 'auto' })),
  );
  const room = window && roomOf(window, samples);
  const placed = placedTargets(targets, plan, rejections);
  const runs: RehearsedRun[] = [];
  const until = performance.now() + withinMs;
  while (runs.length < RUNS && (runs.length === 0 || performance.now() < until)) {
    const random = new SeededRandom(`${seed} ${runs.length}`);
    const draw = () => random.pick(samples);
    const run = new Rehearsal({ state, targets: placed, begin, draw, ...(room && { window: room }) });
    while (run.advance()) {
      await pause();
      signal?.throwIfAborted();
    }
    const result = run.result();
    runs.push(result);
    // If nothing begins, nothing is drawn: all runs are the same.
    if (result.left === targets.length) break;
  }
  return reportOf(runs, basis, rejections, limits);
}

/** The usual duration is that of the samples, as it is of earlier runs for a real rollout. */
function roomOf(window: RehearsalWindow, samples: readonly DrawnEnd[]): NonNullable<RunPlan['window']> {
  const sorted = samples.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const usual = { p50: at(0.5), p90: at(0.9), runs: sorted.length };
  return {
    hasRoom: (moment) => hasRoom(window, usual, moment),
    nextOpening: (moment) => {
      const { next } = windowState(window, moment);
      return next === null ? undefined : Date.parse(next.opensAt);
    },
    closing: (moment) => {
      const state = windowState(window, moment);
      return typeof state.closesAt === 'string' ? Date.parse(state.closesAt) : undefined;
    },
  };
}
