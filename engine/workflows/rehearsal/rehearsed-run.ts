/**
 * One run of a rehearsed rollout: the steps are those of a real one (`rollout-step.ts`), the workflows are drawn: how long each
 * takes, and how it ends. Pure: the same plan and draws give the same run.
 *
 * 1. Nothing happens between the end of one workflow and the next one: the time jumps there, or to the next opening of the window.
 * 2. A phase that waits for a user begins immediately. A gate that trips ends the run: what follows is the user's decision.
 */
import type { DrawnEnd } from '../../api-port/rehearsals.ts';
import type { PauseReason } from '../../api-port/rollouts.ts';
import { isoOf } from '../../platform/lib/clock.ts';
import { Heap } from '../../platform/lib/heap.ts';
import {
  isRolloutOver,
  type RolloutState,
  type StepInput,
  type TargetEnd,
  type TargetError,
  type TargetRejection,
  type TargetState,
} from '../rollouts/rollout-state.ts';
import { stepRollout } from '../rollouts/rollout-step.ts';
import { type PlacedTarget, RehearsedTargets } from './rehearsed-targets.ts';

export interface RunPlan {
  /** The state of a rollout that has not begun. Its phases advance by themselves. */
  state: RolloutState;
  targets: readonly PlacedTarget[];
  /** ms since 1970 */
  begin: number;
  draw(): DrawnEnd;
  /** Absent: there is no window. */
  window?: {
    hasRoom(at: number): boolean;
    /** Returns when the next opening begins; undefined: never. */
    nextOpening(at: number): number | undefined;
    /** Returns when the opening at that moment ends; undefined: it is closed, or stays open. */
    closing(at: number): number | undefined;
  };
}

export interface RehearsedRun {
  /** From the first beginning to the last end, or until a gate tripped. */
  durationMs: number;
  failures: { node: string; error: TargetError }[];
  /** By index: ms since the first beginning; null: it was not begun, or not finished. */
  phases: { startedMs: number | null; finishedMs: number | null }[];
  /** The gate that ended the run. */
  trip?: { index: number; phase: number; atMs: number };
  /** The most that ran at a time, by relation and node. */
  peaks: ReadonlyMap<string, number>;
  /** The ends of openings that were too short, with the ms of work that followed in later ones. */
  closings: { at: number; leftMs: number }[];
  /** Targets that did not begin: no opening of the window had room for them, or they are held; 0 after a gate, which keeps them back. */
  left: number;
}

interface Ending {
  at: number;
  target: TargetState;
  error: TargetError | null;
}

const ENDS_PER_STEP = 200;
/** Openings of a window that a run waits for. */
const OPENINGS = 400;

export class Rehearsal {
  readonly #plan: RunPlan;
  readonly #targets: RehearsedTargets;
  readonly #endings = new Heap<Ending>((a, b) => a.at - b.at || a.target.sequence - b.target.sequence);
  readonly #run: Omit<RehearsedRun, 'phases' | 'left'>;
  #state: RolloutState;
  #at: number;
  /** When the first target began. */
  #beganAt: number | undefined;
  /** Those that it waited for. */
  #openings = 0;
  /** The last moment at which a target could begin. */
  #openAt: number;
  /** The ends and the rejections that the next step takes. */
  #ended: TargetEnd[] = [];
  #rejected: TargetRejection[] = [];

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#state = plan.state;
    this.#at = plan.begin;
    this.#openAt = plan.begin;
    this.#targets = new RehearsedTargets(plan.targets);
    this.#run = { durationMs: 0, failures: [], peaks: this.#targets.peaks, closings: [] };
  }

  get #elapsedMs(): number {
    return this.#at - (this.#beganAt ?? this.#at);
  }

  /** Takes the next step. @returns false: it is over */
  advance(): boolean {
    const [ended, rejected] = [this.#ended, this.#rejected];
    this.#ended = [];
    this.#rejected = [];
    const isQuiet = this.#step(ended, rejected);
    if (this.#state.reason?.kind === 'gate') {
      this.#trip(this.#state.reason);
      return false;
    }
    if (isRolloutOver(this.#state)) return false;
    if (!isQuiet) return true;
    this.#ended = this.#nextEnds();
    if (this.#ended.length > 0) return true;
    const opening = this.#nextOpening();
    if (opening === undefined) return false;
    this.#openings += 1;
    if (this.#beganAt !== undefined) {
      const closesAt = this.#plan.window?.closing(this.#openAt) ?? this.#at;
      this.#run.closings.push({ at: closesAt, leftMs: 0 });
    }
    this.#at = opening;
    return true;
  }

  /** Returns the outcome of a run that is over. */
  result(): RehearsedRun {
    const { phases } = this.#state;
    const since = (at: string | null) =>
      at === null || this.#beganAt === undefined ? null : Math.max(0, Date.parse(at) - this.#beganAt);
    return {
      ...this.#run,
      durationMs: this.#elapsedMs,
      phases: phases.map(({ startedAt, finishedAt }) => ({
        startedMs: since(startedAt),
        finishedMs: since(finishedAt),
      })),
      left:
        this.#run.trip === undefined ? phases.reduce((sum, { counts }) => sum + counts.pending + counts.waiting, 0) : 0,
    };
  }

  /** @returns whether it changed nothing */
  #step(ended: readonly TargetEnd[], rejected: readonly TargetRejection[]): boolean {
    const isBlocked = this.#plan.window?.hasRoom(this.#at) === false;
    if (!isBlocked) this.#openAt = this.#at;
    const changed = [...ended, ...rejected].map(({ target }) => target);
    const nothing = { nextTargets: [], busy: {}, drained: [] };
    const input: StepInput = {
      at: isoOf(this.#at) ?? '',
      ended,
      rejected,
      leftovers: [],
      running: [],
      failed: [],
      ...(isBlocked ? { ...nothing, blockedBy: 'window' } : this.#targets.next(this.#state, changed)),
    };
    const { state, effects } = stepRollout(this.#state, input);
    for (const { target } of ended) this.#targets.end(target);
    for (const effect of effects) {
      if (effect.kind === 'park') this.#targets.park(this.#targets.of(effect.target, input), effect.group);
      if (effect.kind === 'launch') this.#launch(this.#targets.of(effect.target, input), effect.workflow);
    }
    this.#state = state;
    return effects.length === 0;
  }

  #launch(target: TargetState, workflow: string): void {
    this.#beganAt ??= this.#at;
    const rejection = this.#targets.launch(target, workflow);
    if (rejection !== undefined) {
      const { why, error } = rejection;
      if (why === 'rejected') this.#run.failures.push({ node: target.node, error });
      this.#rejected.push(rejection);
      return;
    }
    const { durationMs, error } = this.#plan.draw();
    this.#endings.push({ at: this.#at + durationMs, target, error });
  }

  /** Returns those of the next moment. */
  #nextEnds(): TargetEnd[] {
    const ends: TargetEnd[] = [];
    for (let next = this.#endings.pop(); next !== undefined; next = this.#endings.pop()) {
      if (ends.length === ENDS_PER_STEP || (ends.length > 0 && next.at > this.#at)) {
        this.#endings.push(next);
        break;
      }
      const { at, target, error } = next;
      for (const closing of this.#run.closings) closing.leftMs += at - this.#at;
      this.#at = at;
      if (error !== null) this.#run.failures.push({ node: target.node, error });
      ends.push({ target, status: error === null ? 'succeeded' : 'failed', error });
    }
    return ends;
  }

  /** Returns undefined if the window is not what keeps targets from beginning, or if no opening is long enough. */
  #nextOpening(): number | undefined {
    const { window } = this.#plan;
    const isBlocked = window?.hasRoom(this.#at) === false && this.#openings < OPENINGS;
    return isBlocked ? window.nextOpening(this.#at) : undefined;
  }

  #trip({ gate }: PauseReason): void {
    this.#run.trip = { index: gate?.index ?? 0, phase: this.#state.phase, atMs: this.#elapsedMs };
  }
}
