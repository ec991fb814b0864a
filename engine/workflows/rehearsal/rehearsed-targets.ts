/** The targets of a rehearsed run, in memory: what `RolloutTargets` reads of the store, and what effects change there. */
import type { RehearsalReport, RehearsalTarget } from '../../api-port/rehearsals.ts';
import {
  groupsIn,
  LAUNCHES_PER_STEP,
  limitedGroups,
  limitOf,
  type RolloutState,
  type StepInput,
  type TargetError,
  type TargetRejection,
  type TargetState,
} from '../rollouts/rollout-state.ts';

/** A target with its groups: those that limits count, and all. */
export interface PlacedTarget extends Pick<RehearsalTarget, 'node' | 'phase' | 'sequence'> {
  groups: readonly string[];
  places: readonly string[];
  /** Its launch is rejected. */
  rejection?: Pick<TargetRejection, 'why' | 'error'>;
}

/** Returns the targets by sequence, the last one first. */
export function placedTargets(
  targets: readonly RehearsalTarget[],
  { limits, onBusy }: Pick<RolloutState, 'limits' | 'onBusy'>,
  rejections: RehearsalReport['rejections'],
): PlacedTarget[] {
  const byNode = new Map(rejections.map(({ node, ...error }) => [node, rejectionOf(error)]));
  return targets
    .map(({ node, phase, sequence, parents }) => {
      const places = groupsIn(Object.keys(parents), parents);
      const rejection = byNode.get(node);
      // The workflow of a busy node ends; how long it takes is unknown.
      const isRejected = rejection !== undefined && !(rejection.why === 'busy' && onBusy === 'wait');
      const groups = limitedGroups(limits, parents);
      return { node, phase, sequence, groups, places, ...(isRejected && { rejection }) };
    })
    .sort((a, b) => b.sequence - a.sequence);
}

function rejectionOf(error: TargetError): Pick<TargetRejection, 'why' | 'error'> {
  const { code } = error;
  return { why: code === 'NODE_BUSY' ? 'busy' : code === 'NODE_HELD' ? 'held' : 'rejected', error };
}

export class RehearsedTargets {
  /** By phase; the last one is the next. */
  readonly #pending = new Map<number, TargetState[]>();
  readonly #parked = new Map<string, TargetState[]>();
  readonly #places = new Map<string, readonly string[]>();
  readonly #rejections = new Map<string, Pick<TargetRejection, 'why' | 'error'>>();
  /** By group: the targets that run. */
  readonly #busy = new Map<string, number>();
  /** By group: the most that ran at a time. */
  readonly peaks = new Map<string, number>();

  constructor(targets: readonly PlacedTarget[]) {
    for (const { node, phase, sequence, groups, places, rejection } of targets) {
      this.#places.set(node, places);
      if (rejection !== undefined) this.#rejections.set(node, rejection);
      const ofPhase = this.#pending.get(phase) ?? [];
      this.#pending.set(phase, ofPhase);
      ofPhase.push({ id: node, node, phase, sequence, status: 'pending', workflow: null, groups, tries: 0 });
    }
  }

  /** As `RolloutInputs` collects them. */
  next(state: RolloutState, ended: readonly TargetState[]): Pick<StepInput, 'nextTargets' | 'busy' | 'drained'> {
    const freed = [...new Set([...state.freed, ...ended.flatMap(({ groups }) => groups)])];
    const parked = freed.map((group) => this.#parked.get(group) ?? []);
    const heads = parked.flatMap((all, n) =>
      all.slice(0, Math.min(LAUNCHES_PER_STEP, limitOf(state.limits, freed[n] ?? ''))),
    );
    const pending = this.#pending.get(state.phase)?.slice(-2 * LAUNCHES_PER_STEP) ?? [];
    const nextTargets = [...pending, ...heads];
    const groups = new Set([...freed, ...nextTargets.flatMap((target) => target.groups)]);
    return {
      nextTargets,
      busy: Object.fromEntries([...groups].map((group) => [group, this.#busy.get(group) ?? 0])),
      drained: freed.filter((_, n) => parked[n]?.length === 0),
    };
  }

  park(target: TargetState, group: string): void {
    this.#take(target);
    target.parked = group;
    const all = this.#parked.get(group) ?? [];
    this.#parked.set(group, all);
    all.push(target);
    all.sort((a, b) => a.sequence - b.sequence);
  }

  /** @returns the rejection of the launch; undefined: it runs */
  launch(target: TargetState, workflow: string): TargetRejection | undefined {
    this.#take(target);
    Object.assign(target, { status: 'running', workflow });
    const rejection = this.#rejections.get(target.node);
    if (rejection !== undefined) return { target, ...rejection };
    for (const place of this.#places.get(target.node) ?? []) {
      const count = (this.#busy.get(place) ?? 0) + 1;
      this.#busy.set(place, count);
      this.peaks.set(place, Math.max(count, this.peaks.get(place) ?? 0));
    }
    return undefined;
  }

  end({ node }: TargetState): void {
    for (const place of this.#places.get(node) ?? []) this.#busy.set(place, (this.#busy.get(place) ?? 0) - 1);
  }

  /** Returns one that has not begun. */
  of(id: string, input: StepInput): TargetState {
    const target = input.nextTargets.find((one) => one.id === id);
    if (target === undefined) throw new Error(`found a step that begins ${id}, which it was not given`);
    return target;
  }

  #take(target: TargetState): void {
    const { phase, parked } = target;
    const from = parked === undefined ? this.#pending.get(phase) : this.#parked.get(parked);
    from?.splice(from.indexOf(target), 1);
    delete target.parked;
  }
}
