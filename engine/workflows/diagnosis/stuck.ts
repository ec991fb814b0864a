/**
 * The workflows that are stuck, among all active ones: suspended or quarantined; the circuit of the BMC of its node is open, whatever it
 * waits for; past `dueAt` by a minute; no agent seen for ten minutes by a wait that only the agent ends; a wait of more than three times what nine of ten runs of the label
 * take. A paused one is not: a user wanted that. A timer is not before it is due: its time may be an option of the launch.
 */
import type { UsualMs } from '../../api-port/index.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { type OpenWait, sinceOf, waitsForAgent, waitsOf } from '../../durable/step/waits.ts';
import { ENOUGH_RUNS } from './durations.ts';

const OVERDUE_MS = 60_000;
const TIMES_USUAL = 3;

export interface StuckCause {
  /** null: the wait is that of the graph. */
  label: string | null;
  code: string;
  message: string;
  /** ISO 8601. */
  since: string;
}

/** A server has booted by then, and its agent has made a request. */
export const AGENT_MS = 600_000;

/** Whether an agent has to be seen for it, since long enough that its last sighting decides whether it is stuck. */
export const isAgentDue = (row: WorkflowRow, now: number): boolean =>
  waitsOf(row).some((wait) => waitsForAgent(wait) && waitedMs(wait, now) > AGENT_MS);

/** The node of a workflow, as far as it is known. */
interface WatchedNode {
  /** When its agent was last seen, in ms since the epoch; null: never. */
  seenAt: number | null;
  /** The circuit of its BMC is open. */
  isBmcResting: boolean;
}

/**
 * @param now ms since the epoch
 * @returns undefined: it is not stuck
 */
export function stuckCause(
  row: WorkflowRow,
  usual: ReadonlyMap<string, UsualMs>,
  now: number,
  { seenAt = null, isBmcResting = false }: Partial<WatchedNode> = {},
): StuckCause | undefined {
  const waits = waitsOf(row);
  const [first] = waits;
  if (row.error !== null) {
    const { code, message } = row.error;
    return { label: first?.label ?? null, code, message, since: row.updatedAt };
  }
  for (const wait of waits) {
    const why = reasonOf(wait, usual, now, seenAt);
    if (why !== undefined) return { label: wait.label, ...why, since: beginOf(wait, row) };
  }
  if (!isBmcResting) return undefined;
  return {
    label: first?.label ?? null,
    ...RESTING_BMC,
    since: first === undefined ? row.updatedAt : beginOf(first, row),
  };
}

const RESTING_BMC = { code: 'OBM_CIRCUIT_OPEN', message: 'the BMC of its node does not answer' };

const beginOf = ({ entry }: OpenWait, { updatedAt }: WorkflowRow): string => (entry && sinceOf(entry)) ?? updatedAt;

function reasonOf(
  wait: OpenWait,
  usual: ReadonlyMap<string, UsualMs>,
  now: number,
  seenAt: number | null,
): Pick<StuckCause, 'code' | 'message'> | undefined {
  const { entry, dueAt } = wait;
  const on = entry?.waitingOn ?? 'timer';
  if (on === 'bmc') return RESTING_BMC;
  if (dueAt !== null && dueAt < now - OVERDUE_MS)
    return { code: 'OVERDUE', message: `it waits (${on}), and its time is over` };
  if (waitsForAgent(wait) && Math.min(waitedMs(wait, now), now - (seenAt ?? 0)) > AGENT_MS)
    return { code: 'AGENT_SILENT', message: 'it waits for an agent that is not seen' };
  if (!isLong(wait, usual, now)) return undefined;
  return { code: 'LONG_WAIT', message: `it waits (${on}) more than ${TIMES_USUAL} times as long as nine of ten` };
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
