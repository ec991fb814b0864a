/** The state of a rollout, as its steps change it, and what a step receives and causes. All of it is plain data. */
import type { Gate, PauseReason, PhaseSize, RolloutLimits } from '../../api-port/rollouts.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import type { Severity } from '../../vocabulary/event.ts';
import type { ActionOf } from '../../vocabulary/event-list.ts';
import { type RolloutStatus, type TargetReason, type TargetStatus, targetStatuses } from '../../vocabulary/states.ts';

export type TargetCounts = Record<TargetStatus, number>;

export interface PhaseState {
  index: number;
  size: PhaseSize;
  advance: 'auto' | 'manual';
  targets: number;
  counts: TargetCounts;
  startedAt: string | null;
  finishedAt: string | null;
  /** In a phase of retries `once` tasks may run again that may have taken effect. */
  acknowledge?: true;
}

/** The count of a gate since the start, its phase, or the resume after it tripped. */
export interface GateCount {
  failures: number;
  /** The newest of them. */
  targets: { node: string; workflow: string | null }[];
}

export interface RolloutState {
  id: string;
  status: RolloutStatus;
  reason: PauseReason | null;
  /** Index of the current phase. */
  phase: number;
  phases: PhaseState[];
  gates: readonly Gate[];
  /** By index of the gate. */
  gateCounts: GateCount[];
  limits: RolloutLimits;
  onBusy: 'wait' | 'skip';
  onHeld: 'wait' | 'skip';
  /** Groups with room, in which targets may be parked. All other groups with parked targets are full. */
  freed: string[];
  /** The cancellation is for workflows that run, too. */
  cancelRunning: boolean;
  /** Failed targets are being moved to the last phase. */
  isRetrying: boolean;
  /** The number of its events so far, of which their ids are made. */
  events: number;
  finishedAt: string | null;
}

/** A target, as a step needs it. */
export interface TargetState {
  id: string;
  node: string;
  phase: number;
  sequence: number;
  status: TargetStatus;
  workflow: string | null;
  /** The groups of which a limit counts it: relation and node. */
  groups: readonly string[];
  /** The full group that it was parked in; absent: none. */
  parked?: string;
  /** Earlier tries that ran. */
  tries: number;
}

export interface TargetError {
  code: string;
  message: string;
}

/** A target whose workflow ended. */
export interface TargetEnd {
  target: TargetState;
  status: 'succeeded' | 'failed' | 'cancelled';
  error: TargetError | null;
  /** It is as bad as the gate of this index says, or worse. Absent: it is not, or no gate asks. */
  badHealth?: readonly number[];
}

/** A target whose launch was rejected. */
export interface TargetRejection {
  target: TargetState;
  why: 'busy' | 'held' | 'gone' | 'window' | 'rejected';
  error: TargetError;
}

/** The reason for which no target of a rollout may begin. */
export type RolloutBlock = 'window' | 'ticket';

/** Whether the rollout is paused by what ends without a user of it. */
export const isBlocked = ({ reason }: Pick<RolloutState, 'reason'>): boolean =>
  reason?.kind === 'window' || reason?.kind === 'ticket';

/** The input of a step. All lists are bounded; the next step receives the rest. */
export interface StepInput {
  /** ISO 8601. */
  at: string;
  ended: readonly TargetEnd[];
  rejected: readonly TargetRejection[];
  /** Targets of the current phase that could begin, by sequence: the next pending ones, parked ones of freed groups, free waiting ones. */
  nextTargets: readonly TargetState[];
  /** By group of nextTargets and of freed groups: the targets that run, those that ended or were rejected included. */
  busy: Readonly<Record<string, number>>;
  /** The freed groups in which no target is parked any more. */
  drained: readonly string[];
  /** Targets of a cancelled rollout that have not begun. */
  leftovers: readonly TargetState[];
  /** Running targets whose workflow has to be cancelled, with `cancelRunning`. */
  running: readonly TargetState[];
  /** Failed targets of earlier phases, while a rollout retries. */
  failed: readonly TargetState[];
  /** Absent: a target may begin. */
  blockedBy?: RolloutBlock;
}

/** An effect: after the state is saved it runs, possibly several times. Each is harmless to repeat. */
export type RolloutEffect =
  | {
      kind: 'launch';
      target: string;
      node: string;
      phase: number;
      sequence: number;
      workflow: string;
      groups: readonly string[];
    }
  | { kind: 'settle'; target: string; phase: number; sequence: number; end: TargetSettled }
  | { kind: 'wait'; target: string; phase: number; sequence: number; reason: TargetReason }
  | { kind: 'park'; target: string; phase: number; sequence: number; group: string }
  | { kind: 'move'; target: string; phase: number; sequence: number }
  | { kind: 'cancel'; target: string; sequence: number; workflow: string }
  | { kind: 'event'; event: RolloutEventNote };

export interface TargetSettled {
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  reason: TargetReason | null;
  error: TargetError | null;
  /** Absent: no workflow of this try was started. */
  workflow?: string;
  at: string;
}

export interface RolloutEventNote {
  n: number;
  at: string;
  action: ActionOf<'rollout'>;
  severity: Severity;
  status: RolloutStatus;
  phase: number;
  counts: TargetCounts;
  reason: PauseReason | null;
}

/** Changes of a step to targets: the row is saved with them. */
export const LAUNCHES_PER_STEP = 50;
/** Targets that a gate names. */
export const SHOWN_TARGETS = 20;

export const noCounts = (): TargetCounts =>
  Object.fromEntries(targetStatuses.map((status) => [status, 0])) as TargetCounts;

export function sumCounts(phases: readonly Pick<PhaseState, 'counts'>[]): TargetCounts {
  const sum = noCounts();
  for (const { counts } of phases) for (const status of targetStatuses) sum[status] += counts[status];
  return sum;
}

/** The number of targets that have not ended. */
export const openIn = ({ pending, waiting, running }: TargetCounts): number => pending + waiting + running;

/** Whether nothing of it will change any more, unless a user retries. */
export const isRolloutOver = ({ status, finishedAt }: Pick<RolloutState, 'status' | 'finishedAt'>): boolean =>
  status !== 'running' && status !== 'paused' && finishedAt !== null;

/** The id of a try: a launch under it happens once, whatever dies. @param tries earlier tries that ran */
export const tryIdOf = (rollout: string, node: string, tries: number): string => uuidOf(`${rollout} ${node} ${tries}`);

/** By relation: the ids of the nodes that a node has in it. */
export type Parents = Readonly<Record<string, readonly string[]>>;

/** The group of the nodes that share a node in a relation. */
const groupOf = (relation: string, parent: string): string => `${relation} ${parent}`;

/** Returns the groups of a node in some relations. */
export const groupsIn = (relations: readonly string[], parents: Parents): string[] =>
  relations.flatMap((relation) => (parents[relation] ?? []).map((parent) => groupOf(relation, parent)));

/** Returns the groups of a node that limits count. */
export const limitedGroups = ({ per = {} }: RolloutLimits, parents: Parents): string[] =>
  groupsIn(Object.keys(per), parents);

/** The limit of a group. */
export const limitOf = ({ per = {} }: RolloutLimits, group: string): number =>
  per[group.slice(0, group.indexOf(' '))] ?? Number.POSITIVE_INFINITY;
