/** Reports on the health of a node by the entries of its system event log. */
import { endsCondition, type SelEntry } from '../../hardware/obm/sel.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Severity } from '../../vocabulary/event.ts';
import { DAY_MS } from '../../vocabulary/units.ts';
import type { ReportChange } from './report-changes.ts';
import { dayAfter } from './report-times.ts';

export interface JudgedEntry {
  entry: SelEntry;
  severity: Severity;
}

/**
 * The assertion of a condition reports it, and its deassertion ends the report.
 * @param isFirstRead the log has entries from before it was polled: only those of the last day count
 */
export const logReports = (entries: readonly JudgedEntry[], isFirstRead: boolean): ReportChange[] =>
  entries.flatMap(({ entry, severity }): ReportChange[] => {
    const { type, sensor, description, time } = fieldsOf(entry);
    const about = { source: 'log', key: [type, sensor, description].join(' ') };
    if (endsCondition(entry)) return [{ ...about, report: null }];
    if (severity === 'information') return [];
    const at = isFirstRead ? Date.parse(time) : now();
    if (!(at > now() - DAY_MS)) return [];
    const message = [type, sensor && `(${sensor})`, description].filter((text) => text !== '').join(' ');
    return [{ ...about, report: { state: severity, message, until: dayAfter(Math.min(at, now())) } }];
  });

/** The fields of ipmitool, or those of Redfish. */
const fieldsOf = (entry: SelEntry) => ({
  type: entry['Sensor Type'] ?? entry.SensorType ?? '',
  sensor: entry['Sensor Number'] ?? entry.SensorNumber ?? '',
  description: entry.Description ?? entry.Message ?? entry.MessageId ?? '',
  time: entry.Timestamp ?? entry.Created ?? '',
});
