/**
 * A rollout and its targets as stored. The rollout is one small row, which each step replaces by compare-and-set; its targets are
 * documents of their own. `place` has a target's rollout, its state and its order, so that a step reads the next few of any state by
 * one index, however many targets there are.
 */
import type { LauncherRole } from '../../durable/actors/messages.ts';
import type { CollectionSpec, Document, VersionedDocument } from '../../platform/store/port.ts';
import type { RolloutStatus, TargetReason, TargetStatus } from '../../vocabulary/states.ts';
import type { RolloutEffect, RolloutState, TargetError } from './rollout-state.ts';

export interface StoredRollout extends VersionedDocument {
  name: string;
  graph: string;
  definition: 'pinned' | 'newest';
  definitionHash: string;
  /** Secrets are encrypted. */
  options: Record<string, unknown>;
  domain: string | null;
  createdBy: string | null;
  /** The team whose member created it: it launches on nodes of this team only. Absent: a user of the whole site. */
  owner?: string;
  /** The roles of the user who created it, or last made its targets begin; absent: none. */
  launcherRoles?: readonly LauncherRole[];
  /** The user who cancelled it. */
  cancelledBy?: string | null;
  seed: number;
  order: { by?: string };
  window: string | null;
  ticket: string | null;
  state: RolloutState;
  /** A copy, for filters. */
  status: RolloutStatus;
  /** Those of its last step that may not have run. */
  effects: RolloutEffect[];
  /** The number of its steps, by which a late effect is recognized. */
  steps: number;
  /** By phase: the number of turns in which its targets run within the limits. */
  turns: number[];
  /** The dispatcher has something to do, or to look at. */
  pending: boolean;
  /** Its targets are being stored: it does not exist yet. */
  isDraft: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface StoredTarget extends Document {
  rollout: string;
  node: string;
  phase: number;
  sequence: number;
  status: TargetStatus;
  place: string;
  workflow: string | null;
  reason: TargetReason | null;
  attempts: { workflow: string | null; status: string; error: TargetError | null }[];
  groups: string[];
  /** The groups that it occupies while it runs, with its rollout. */
  busy: string[];
  /** The version of its graph; absent: that of the rollout. The SKU of its node may have a graph of its own. */
  definitionHash?: string;
  /** The step of its rollout that changed it last. */
  step: number;
  /** When its last launch was rejected. */
  triedAt?: string;
  startedAt: string | null;
  finishedAt: string | null;
  error: TargetError | null;
}

export const rolloutSpec: CollectionSpec = {
  name: 'rollouts',
  indexes: {
    pending: 'boolean',
    isDraft: 'boolean',
    status: 'text',
    graph: 'text',
    name: 'text',
    window: 'text',
    ticket: 'text',
    owner: 'text',
    createdAt: 'text',
  },
  scanned: { seed: 'number', definitionHash: 'text', createdBy: 'text', updatedAt: 'text' },
};

export const targetSpec: CollectionSpec = {
  name: 'targets',
  indexes: { place: 'text', rollout: 'text', node: 'text', busy: 'texts' },
};

const digits = (n: number): string => String(n).padStart(6, '0');

/** In the order of the ids, targets are in their sequence. */
export const targetIdOf = (rollout: string, sequence: number): string => `${rollout}/${digits(sequence)}`;

type TargetPlace = Pick<StoredTarget, 'phase' | 'sequence'>;

/** The places of the targets of a rollout, by state. */
export const placesOf = (rollout: string) => ({
  pending: ({ phase, sequence }: TargetPlace) => `${rollout}/pending/${digits(phase)}/${digits(sequence)}`,
  parked: ({ phase, sequence }: TargetPlace, group: string) =>
    `${rollout}/parked/${digits(phase)}/${group}/${digits(sequence)}`,
  waiting: ({ phase, sequence }: TargetPlace) => `${rollout}/waiting/${digits(phase)}/${digits(sequence)}`,
  running: ({ sequence }: Pick<TargetPlace, 'sequence'>) => `${rollout}/running/on/${digits(sequence)}`,
  stopping: ({ sequence }: Pick<TargetPlace, 'sequence'>) => `${rollout}/running/stopping/${digits(sequence)}`,
  ended: ({ phase, sequence }: TargetPlace, status: TargetStatus) =>
    `${rollout}/${status}/${digits(phase)}/${digits(sequence)}`,
});

/** The range of places, or ids, that begin so. */
export function below(prefix: string): { $gte: string; $lt: string } {
  const slash = `${prefix}/`;
  // The character after the slash.
  return { $gte: slash, $lt: `${prefix}0` };
}

export const phasePrefix = (rollout: string, state: string, phase: number): string =>
  `${rollout}/${state}/${digits(phase)}`;

/** The group that a target is parked in. */
export function parkedIn({ rollout, place }: Pick<StoredTarget, 'rollout' | 'place'>): string | undefined {
  const prefix = `${rollout}/parked/`;
  if (!place.startsWith(prefix)) return undefined;
  const rest = place.slice(prefix.length);
  return rest.slice(rest.indexOf('/') + 1, rest.lastIndexOf('/'));
}
