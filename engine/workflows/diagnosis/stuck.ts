/**
 * The workflows that are stuck, among all active ones: suspended or quarantined; the circuit of its BMC is open; past `dueAt` by a minute; no agent
 * seen for ten minutes by a wait that only the agent ends; a wait of more than three times what nine of ten runs of the label
 * take. A paused one is not: a user wanted that. A timer is not before it is due: its time may be an option of the launch.
 */
import type { UsualMs } from '../../api-port/index.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { type OpenWait, sinceOf, waitsForAgent, waitsOf } from '../../durable/step/waits.ts';
import { ENOUGH_RUNS } from './durations.ts';

const OVERDUE_MS = 60_000;
const TIMES_USUAL = 3;

/** A server has booted by then, and its agent has made a request. */
export const AGENT_MS = 600_000;

/** Whether an agent has to be seen for it, since long enough that its last sighting decides whether it is stuck. */
export const isAgentDue = (row: WorkflowRow, now: number): boolean =>
  waitsOf(row).some((wait) => waitsForAgent(wait) && waitedMs(wait, now) > AGENT_MS);

/**
 * @param now ms since the epoch
 * @param seenAt when the agent of its node was last seen; null: never
 */
export function isStuck(
  row: WorkflowRow,
  usual: ReadonlyMap<string, UsualMs>,
  now: number,
  seenAt: number | null = null,
): boolean {
  if (row.error !== null) return true;
  return waitsOf(row).some((wait) => {
    const { entry, dueAt } = wait;
    if (entry?.waitingOn === 'bmc') return true;
    if (dueAt !== null && dueAt < now - OVERDUE_MS) return true;
    if (waitsForAgent(wait) && Math.min(waitedMs(wait, now), now - (seenAt ?? 0)) > AGENT_MS) return true;
    return isLong(wait, usual, now);
  });
}

function isLong(wait: OpenWait, usual: ReadonlyMap<string, UsualMs>, now: number): boolean {
  const { label, entry } = wait;
  if (label === null || entry?.waitingOn === 'paused' || entry?.waitingOn === 'timer') return false;
  const { p90, runs } = usual.get(label) ?? { p90: 0, runs: 0 };
  return runs >= ENOUGH_RUNS && waitedMs(wait, now) > TIMES_USUAL * p90;
}

/** 0: it did not begin. */
function waitedMs({ entry }: OpenWait, now: number): number {
  const since = entry === undefined ? null : sinceOf(entry);
  return since === null ? 0 : now - Date.parse(since);
}
