/** Reads and changes the targets of a rollout. Each read has a limit, and uses one index. */
import { updateAll } from '../../platform/store/pages.ts';
import type { Collection, DocumentUpdate, Update } from '../../platform/store/port.ts';
import type { RolloutEffect, TargetState } from './rollout-state.ts';
import { below, parkedIn, phasePrefix, placesOf, type StoredTarget, targetIdOf } from './stored-rollout.ts';

const GROUPS_PER_QUERY = 100;
const PAGE = 1_000;

export class RolloutTargets {
  readonly #stored: Collection<StoredTarget>;

  constructor(stored: Collection<StoredTarget>) {
    this.#stored = stored;
  }

  /** Those that run. @param after place of the last one of the previous page */
  findRunning(rollout: string, limit: number, after?: string): Promise<StoredTarget[]> {
    const range = below(`${rollout}/running`);
    return this.#find(after === undefined ? range : { $gt: after, $lt: range.$lt }, limit);
  }

  findPending(rollout: string, phase: number, limit: number): Promise<StoredTarget[]> {
    return this.#find(below(phasePrefix(rollout, 'pending', phase)), limit);
  }

  findParked(rollout: string, phase: number, group: string, limit: number): Promise<StoredTarget[]> {
    return this.#find(below(`${phasePrefix(rollout, 'parked', phase)}/${group}`), limit);
  }

  findWaiting(rollout: string, phase: number, limit: number): Promise<StoredTarget[]> {
    return this.#find(below(phasePrefix(rollout, 'waiting', phase)), limit);
  }

  /** Those that failed in phases before this one. */
  findFailed(rollout: string, before: number, limit: number): Promise<StoredTarget[]> {
    const { $gte } = below(`${rollout}/failed`);
    return this.#find({ $gte, $lt: phasePrefix(rollout, 'failed', before) }, limit);
  }

  /** Those that have not begun, in any phase. */
  async leftovers(rollout: string, limit: number): Promise<StoredTarget[]> {
    const all: StoredTarget[] = [];
    for (const state of ['pending', 'parked', 'waiting'])
      all.push(...(await this.#find(below(`${rollout}/${state}`), limit - all.length)));
    return all;
  }

  #find(place: Record<string, string>, limit: number): Promise<StoredTarget[]> {
    return limit <= 0 ? Promise.resolve([]) : this.#stored.find({ place }, { sort: { place: 1 }, limit });
  }

  /** Returns by group the number of targets that run. */
  async busy(rollout: string, groups: readonly string[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = Object.fromEntries(groups.map((group) => [group, 0]));
    for (let from = 0; from < groups.length; from += GROUPS_PER_QUERY) {
      const keys = groups.slice(from, from + GROUPS_PER_QUERY).map((group) => busyKey(rollout, group));
      const wanted = new Set(keys);
      for (let skip = 0; ; skip += PAGE) {
        const some = await this.#stored.find({ busy: { $in: keys } }, { skip, limit: PAGE });
        for (const key of some.flatMap(({ busy }) => busy)) {
          if (!wanted.has(key)) continue;
          const group = key.slice(rollout.length + 1);
          counts[group] = (counts[group] ?? 0) + 1;
        }
        if (some.length < PAGE) break;
      }
    }
    return counts;
  }

  /** Makes the changes of a step. One that a later step has replaced is skipped. */
  async apply(rollout: string, step: number, at: string, effects: readonly RolloutEffect[]): Promise<void> {
    const tries = effects.filter(({ kind }) => kind === 'move').map((effect) => idIn(effect));
    const before = tries.length === 0 ? [] : await this.#stored.find({ id: { $in: tries } });
    const earlier = new Map(before.map((target) => [target.id, target]));
    const changes = effects.flatMap((effect): DocumentUpdate[] => {
      const change = changeOf(rollout, at, effect, earlier);
      if (change === undefined) return [];
      return [
        { id: idIn(effect), filter: { step: { $lte: step } }, update: { ...change, $set: { ...change.$set, step } } },
      ];
    });
    await updateAll(this.#stored, changes);
  }
}

const busyKey = (rollout: string, group: string): string => `${rollout} ${group}`;
const idIn = (effect: RolloutEffect): string => ('target' in effect ? effect.target : '');

/** @param earlier the targets that move, as they are stored */
function changeOf(
  rollout: string,
  at: string,
  effect: RolloutEffect,
  earlier: ReadonlyMap<string, StoredTarget>,
): Update | undefined {
  const places = placesOf(rollout);
  if (effect.kind === 'launch') {
    const { workflow, groups } = effect;
    const busy = groups.map((group) => busyKey(rollout, group));
    return {
      $set: { status: 'running', place: places.running(effect), workflow, reason: null, busy, startedAt: at },
    };
  }
  if (effect.kind === 'settle') {
    const { status, reason, error, workflow = null, at: finishedAt } = effect.end;
    return {
      $set: {
        status,
        reason,
        error,
        finishedAt,
        workflow,
        busy: [],
        place: places.ended(effect, status),
        ...(workflow === null && { startedAt: null }),
      },
    };
  }
  if (effect.kind === 'wait') {
    const { reason } = effect;
    const place = places.waiting(effect);
    return { $set: { status: 'waiting', place, reason, workflow: null, busy: [], startedAt: null, triedAt: at } };
  }
  if (effect.kind === 'park') return { $set: { place: places.parked(effect, effect.group) } };
  if (effect.kind === 'cancel') return { $set: { place: places.stopping(effect) } };
  return effect.kind === 'move' ? moveBack(effect, earlier.get(effect.target), places.pending(effect)) : undefined;
}

/** The earlier try is kept; a move that was made before changes nothing. */
function moveBack({ phase }: { phase: number }, target: StoredTarget | undefined, place: string): Update | undefined {
  if (target === undefined || target.phase === phase) return undefined;
  const { workflow, status, error, attempts } = target;
  return {
    $set: {
      phase,
      place,
      status: 'pending',
      reason: null,
      workflow: null,
      error: null,
      startedAt: null,
      finishedAt: null,
      attempts: [...attempts, { workflow, status, error }],
    },
  };
}

/** As a step needs it. */
export function targetState(stored: StoredTarget): TargetState {
  const { id, node, phase, sequence, status, workflow, groups, attempts } = stored;
  const parked = parkedIn(stored);
  const tries = attempts.filter((attempt) => attempt.workflow !== null).length;
  return { id, node, phase, sequence, status, workflow, groups, tries, ...(parked !== undefined && { parked }) };
}

/** A target at the creation of its rollout. */
export function newTarget(
  rollout: string,
  planned: Pick<StoredTarget, 'node' | 'phase' | 'sequence' | 'groups'> & { definitionHash?: string },
): StoredTarget {
  return {
    ...planned,
    id: targetIdOf(rollout, planned.sequence),
    rollout,
    status: 'pending',
    place: placesOf(rollout).pending(planned),
    workflow: null,
    reason: null,
    attempts: [],
    busy: [],
    step: 0,
    startedAt: null,
    finishedAt: null,
    error: null,
  };
}
