/** The health of a node, in the document of the node, so that a change and its event are one write. */
import { builtInSources, type HealthReport, type NodeHealth } from '../../api-port/node-health.ts';
import type { HasPendingEvents } from '../../events/outbox/pending-events.ts';
import { isOneOf } from '../../vocabulary/one-of.ts';
import type { BurnInOutcome, HealthState } from '../../vocabulary/states.ts';

/** `key`: what of the source it is about, such as a sensor. A source has one report for each key. */
export interface StoredReport extends HealthReport {
  key: string;
}

export interface StoredHealth {
  /** Compared and set with each change. */
  version: number;
  state: HealthState;
  since: string;
  /** Newest first. */
  reports: StoredReport[];
  /** When the first of the reports ends; null: none ends by itself. */
  until: string | null;
  /** By the report of the last burn-in that was complete; null: there is none. Lists are filtered by it. */
  burnIn: BurnInOutcome | null;
}

/** The fields of a node that its health needs. */
export interface ExaminedNode extends HasPendingEvents {
  type: string;
  createdAt: string;
  /** Absent: no source has reported yet. */
  healthRecord?: StoredHealth;
}

export const healthIndexes = {
  'healthRecord.state': 'text',
  'healthRecord.until': 'text',
  'healthRecord.burnIn': 'text',
} as const;

export const isBuiltIn = (source: string): boolean => isOneOf(builtInSources, source);

export const healthOf = ({ createdAt, healthRecord }: ExaminedNode): StoredHealth =>
  healthRecord ?? { version: 0, state: 'unknown', since: createdAt, reports: [], until: null, burnIn: null };

export const shownHealth = ({ state, since, reports }: StoredHealth): NodeHealth => ({
  state,
  since,
  reports: reports.map(({ key: _, ...report }) => report),
});

/** The report of a burn-in stays until the next one that is complete. */
export function burnInOutcome(reports: readonly StoredReport[]): BurnInOutcome | null {
  const report = reports.find(({ source }) => source === 'burn-in');
  if (report === undefined) return null;
  return report.state === 'ok' ? 'passed' : 'failed';
}
