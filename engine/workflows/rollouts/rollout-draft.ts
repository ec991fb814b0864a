/** A step of a rollout before it is saved: its next state, and the effects and events so far. */

import type { Severity } from '../../vocabulary/event.ts';
import type { ActionOf } from '../../vocabulary/event-list.ts';
import type { TargetStatus } from '../../vocabulary/states.ts';
import {
  openIn,
  type PhaseState,
  type RolloutEffect,
  type RolloutState,
  sumCounts,
  type TargetCounts,
  type TargetSettled,
  type TargetState,
} from './rollout-state.ts';

type Pause = Omit<NonNullable<RolloutState['reason']>, 'since'>;

export class RolloutDraft {
  readonly state: RolloutState;
  readonly effects: RolloutEffect[] = [];
  readonly at: string;

  constructor(before: RolloutState, at: string) {
    this.state = structuredClone(before);
    this.at = at;
  }

  get counts(): TargetCounts {
    return sumCounts(this.state.phases);
  }

  get phase(): PhaseState {
    return phaseOf(this.state, this.state.phase);
  }

  get isLastPhase(): boolean {
    return this.state.phase === this.state.phases.length - 1;
  }

  /** Counts a target under another status. */
  count({ phase }: Pick<TargetState, 'phase'>, from: TargetStatus, to: TargetStatus): void {
    const { counts } = phaseOf(this.state, phase);
    counts[from] -= 1;
    counts[to] += 1;
  }

  settle(target: TargetState, from: TargetStatus, end: Omit<TargetSettled, 'at'>): void {
    this.count(target, from, end.status);
    const { id, phase, sequence } = target;
    this.effects.push({ kind: 'settle', target: id, phase, sequence, end: { ...end, at: this.at } });
  }

  /** A pause replaces the reason of an earlier one. */
  pause(reason: Pause): void {
    this.state.status = 'paused';
    this.state.reason = { ...reason, since: this.at };
    this.tell('paused', reason.kind === 'gate' ? 'critical' : 'warning');
  }

  resume(): void {
    this.state.status = 'running';
    this.state.reason = null;
    this.tell('resumed');
  }

  beginPhase(index: number): void {
    this.state.phase = index;
    this.phase.startedAt = this.at;
    for (const [n, gate] of this.state.gates.entries())
      if ('scope' in gate && gate.scope === 'phase') this.state.gateCounts[n] = { failures: 0, targets: [] };
    this.tell('phase.started');
  }

  finishPhase(): void {
    this.phase.finishedAt = this.at;
    this.tell('phase.finished');
  }

  /** Every target has ended. */
  end(): void {
    const { failed, cancelled } = this.counts;
    this.state.status =
      this.state.status === 'cancelled'
        ? 'cancelled'
        : failed + cancelled === 0
          ? 'succeeded'
          : 'completed_with_failures';
    this.state.reason = null;
    this.state.finishedAt = this.at;
    this.state.freed = [];
    this.tell('finished');
  }

  get isOpen(): boolean {
    return openIn(this.counts) > 0;
  }

  tell(action: ActionOf<'rollout'>, severity: Severity = 'information'): void {
    const { state, at, counts } = this;
    state.events += 1;
    const { events: n, status, phase, reason } = state;
    this.effects.push({ kind: 'event', event: { n, at, action, severity, status, phase, counts, reason } });
  }
}

function phaseOf({ phases }: RolloutState, index: number): PhaseState {
  const phase = phases[index];
  if (phase === undefined) throw new RangeError(`there is no phase ${index}`);
  return phase;
}
