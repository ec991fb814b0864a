/** Changes the health of a node by reports. Pure. */
import type { HealthState } from '../../vocabulary/states.ts';
import { storableBeginning } from '../../vocabulary/texts.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import { burnInOutcome, type StoredHealth, type StoredReport } from './stored-health.ts';

/** The report of a source on one sensor, resource or condition. */
export interface ReportChange extends Pick<StoredReport, 'source' | 'key'> {
  /** null: the condition is over, and its report ends. */
  report: Pick<StoredReport, 'state' | 'message' | 'until'> | null;
}

/** Reports on one node; of more, the mildest and oldest end. */
const REPORTS = 100;
const CHARACTERS_SHOWN = 1_000;
/** A report that says the same and ends so little later is not written again: alerts come in storms. */
const SAME_END_MS = MINUTE_MS;

/** As every store keeps it: one that differs from what is stored would be written with each reading. */
const shownMessage = (message: string): string => storableBeginning(message, CHARACTERS_SHOWN);

const ranks: Record<HealthState, number> = { unknown: 0, ok: 1, warning: 2, critical: 3 };

/** Returns whether a state is at least so bad. */
export const isAsBadAs = (state: HealthState, limit: HealthState): boolean => ranks[state] >= ranks[limit];

/** @param at ISO 8601 @returns the health afterwards, with the same version; undefined: nothing changes */
export function healthAfter(
  before: StoredHealth,
  changes: readonly ReportChange[],
  at: string,
): StoredHealth | undefined {
  const reports = before.reports.filter(({ until }) => until === null || until > at);
  let isChanged = reports.length < before.reports.length;
  for (const { source, key, report } of changes) {
    const index = reports.findIndex((one) => one.source === source && one.key === key);
    const [present] = index < 0 ? [] : reports.slice(index, index + 1);
    if (report === null ? present === undefined : present !== undefined && saysTheSame(present, report)) continue;
    isChanged = true;
    if (index >= 0) reports.splice(index, 1);
    if (report !== null) reports.unshift({ source, key, ...report, message: shownMessage(report.message), at });
  }
  return isChanged ? withReports(before, worstReports(reports), at) : undefined;
}

function withReports(before: StoredHealth, reports: StoredReport[], at: string): StoredHealth {
  const state = reports.reduce<HealthState>(
    (worst, one) => (isAsBadAs(worst, one.state) ? worst : one.state),
    'unknown',
  );
  const [until = null] = reports.flatMap((one) => one.until ?? []).sort();
  const since = state === before.state ? before.since : at;
  return { version: before.version, state, since, reports, until, burnIn: burnInOutcome(reports) };
}

const saysTheSame = (
  present: StoredReport,
  { state, message, until }: Pick<StoredReport, 'state' | 'message' | 'until'>,
) =>
  present.state === state &&
  present.message === shownMessage(message) &&
  (present.until === until ||
    (present.until !== null &&
      until !== null &&
      Math.abs(Date.parse(until) - Date.parse(present.until)) < SAME_END_MS));

function worstReports(reports: StoredReport[]): StoredReport[] {
  if (reports.length <= REPORTS) return reports;
  const worst = new Set([...reports].sort((a, b) => ranks[b.state] - ranks[a.state]).slice(0, REPORTS));
  return reports.filter((report) => worst.has(report));
}
