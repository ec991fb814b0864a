/** The targets of a rehearsed run, in memory: what `RolloutTargets` reads of the store, and what effects change there. */
import type { RehearsalTarget } from '../../api-port/rehearsals.ts';
import {
  groupOf,
  LAUNCHES_PER_STEP,
  limitOf,
  type RolloutState,
  type StepInput,
  type TargetState,
} from '../rollouts/rollout-state.ts';

export class RehearsedTargets {
  /** By phase; the last one is the next. */
  readonly #pending = new Map<number, TargetState[]>();
  readonly #parked = new Map<string, TargetState[]>();
  readonly #running = new Map<string, TargetState>();
  readonly #busy = new Map<string, number>();

  constructor(targets: readonly RehearsalTarget[], limits: RolloutState['limits']) {
    for (const { node, phase, sequence, parents } of targets.toSorted((a, b) => b.sequence - a.sequence)) {
      const groups = Object.keys(limits.per ?? {}).flatMap((relation) =>
        (parents[relation] ?? []).map((parent) => groupOf(relation, parent)),
      );
      const ofPhase = this.#pending.get(phase) ?? [];
      this.#pending.set(phase, ofPhase);
      ofPhase.push({ id: node, node, phase, sequence, status: 'pending', workflow: null, groups, tries: 0 });
    }
  }

  /** As `RolloutInputs` collects them. */
  next(state: RolloutState, ended: StepInput['ended']): Pick<StepInput, 'nextTargets' | 'busy' | 'drained'> {
    const freed = [...new Set([...state.freed, ...ended.flatMap(({ target }) => target.groups)])];
    const parked = freed.map((group) => this.#parked.get(group) ?? []);
    const heads = parked.flatMap((all, n) =>
      all.slice(0, Math.min(LAUNCHES_PER_STEP, limitOf(state.limits, freed[n] ?? ''))),
    );
    const pending = this.#pending.get(state.phase)?.slice(-2 * LAUNCHES_PER_STEP) ?? [];
    return {
      nextTargets: [...pending, ...heads],
      busy: Object.fromEntries(this.#busy),
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

  launch(target: TargetState, workflow: string): void {
    this.#take(target);
    Object.assign(target, { status: 'running', workflow });
    this.#running.set(target.id, target);
    for (const group of target.groups) this.#busy.set(group, (this.#busy.get(group) ?? 0) + 1);
  }

  end({ id, groups }: TargetState): void {
    this.#running.delete(id);
    for (const group of groups) this.#busy.set(group, (this.#busy.get(group) ?? 0) - 1);
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
