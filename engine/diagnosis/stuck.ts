/**
 * The workflows that are stuck, among all active ones: held or quarantined; a BMC rests; past `dueAt` by a minute; a wait of
 * more than three times what nine of ten runs of the label take. A paused one is not: a user wanted that.
 */
import type { UsualMs } from '../api-port/index.ts';
import type { WorkflowRow } from '../step/row.ts';
import { sinceOf, waitsOf } from '../step/waits.ts';
import { ENOUGH_RUNS } from './durations.ts';

const OVERDUE_MS = 60_000;
const TIMES_USUAL = 3;

/** @param now ms since the epoch */
export function isStuck(row: WorkflowRow, usual: ReadonlyMap<string, UsualMs>, now: number): boolean {
  if (row.error !== null) return true;
  return waitsOf(row).some(({ label, entry, dueAt }) => {
    if (entry?.waitingOn === 'bmc') return true;
    if (dueAt !== null && dueAt < now - OVERDUE_MS) return true;
    if (entry === undefined || entry.waitingOn === 'paused' || label === null) return false;
    const { p90, runs } = usual.get(label) ?? { p90: 0, runs: 0 };
    const since = sinceOf(entry);
    return runs >= ENOUGH_RUNS && since !== null && now - Date.parse(since) > TIMES_USUAL * p90;
  });
}
