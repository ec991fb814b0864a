/** Reports on the health of a node by the Redfish alerts of its BMC (DSP0266, EventRecord). */
import type { Severity } from '../../vocabulary/event.ts';
import { type JsonObject, property } from '../../vocabulary/json.ts';
import type { ReportChange } from './report-changes.ts';
import { dayAfter } from './report-times.ts';

/** An alert reports its condition; one without a severity about the same resource ends the report. */
export function alertReport(alert: JsonObject, severity: Severity): ReportChange[] {
  const { MessageId, Message } = alert;
  const message = textOf(MessageId);
  const origin = textOf(property(alert.OriginOfCondition, '@odata.id') ?? alert.OriginOfCondition);
  const key = origin === '' ? withoutVersion(message) : origin;
  if (key === '' && severity === 'information') return [];
  const about = { source: 'alert', key };
  if (severity === 'information') return [{ ...about, report: null }];
  const words = textOf(Message) || message || 'an alert without a message';
  return [{ ...about, report: { state: severity, message: words, until: dayAfter() } }];
}

/** Without the version of its registry: `Alert.1.2.Fan` is `Alert.Fan`. */
const withoutVersion = (messageId: string): string => messageId.replace(/\.\d+(\.\d+)*\./, '.');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
