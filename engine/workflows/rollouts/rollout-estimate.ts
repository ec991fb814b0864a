/** When a rollout will probably end: from the usual duration of its graph and the turns in which its targets run. */

import type { UsualMs } from '../../api-port/diagnosis.ts';
import type { RolloutLimits, RolloutRecord } from '../../api-port/rollouts.ts';
import { isoOf } from '../../platform/lib/clock.ts';
import type { StoredWindow } from '../windows/window-requests.ts';
import { endOfTurns } from '../windows/window-room.ts';
import { isRolloutOver, limitOf, openIn, type RolloutState } from './rollout-state.ts';

/** Returns the number of turns in which all targets run within the limits, if each takes the same time. */
export function turnsOf(targets: readonly { groups: readonly string[] }[], limits: RolloutLimits): number {
  const { running = Number.POSITIVE_INFINITY } = limits;
  const used: { all: number; groups: Map<string, number> }[] = [];
  // The first turn with room, for all and for each group: the search never goes back.
  const first = new Map<string, number>();
  let firstOfAll = 0;
  for (const { groups } of targets) {
    let turn = Math.max(firstOfAll, ...groups.map((group) => first.get(group) ?? 0));
    for (; ; turn += 1) {
      const slot = used[turn];
      if (slot === undefined) break;
      if (slot.all < running && groups.every((group) => (slot.groups.get(group) ?? 0) < limitOf(limits, group))) break;
    }
    const slot = used[turn] ?? { all: 0, groups: new Map<string, number>() };
    used[turn] = slot;
    slot.all += 1;
    if (slot.all >= running && turn === firstOfAll) firstOfAll += 1;
    for (const group of groups) {
      const count = (slot.groups.get(group) ?? 0) + 1;
      slot.groups.set(group, count);
      if (count >= limitOf(limits, group) && turn === (first.get(group) ?? 0)) first.set(group, turn + 1);
    }
  }
  return used.length;
}

/** @param turns by phase; of a phase of retries: none @param usual of the graph @param window absent: it has none */
export function estimateOf(
  state: RolloutState,
  turns: readonly number[],
  usual: UsualMs | undefined,
  at: number,
  window?: StoredWindow,
): RolloutRecord['estimate'] {
  if (usual === undefined || isRolloutOver(state)) return null;
  const { running = Number.POSITIVE_INFINITY } = state.limits;
  const remaining = state.phases.map(({ index, targets, counts }) => {
    const open = openIn(counts);
    if (open === 0) return 0;
    const all = turns[index] ?? Math.ceil(targets / Math.min(running, targets));
    return Math.max(1, Math.ceil((all * open) / targets));
  });
  const all = remaining.reduce((sum, one) => sum + one, 0);
  const end = window === undefined ? at + all * usual.p50 : endOfTurns(window, usual, all, at);
  return end === undefined ? null : { finishedAt: isoOf(end) ?? '', basis: usual };
}
