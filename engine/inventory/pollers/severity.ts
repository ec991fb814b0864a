/** Determines the severity of an entry of a system event log. */
import type { AlertRule } from '../../api-port/pollers.ts';
import { endsCondition, type SelEntry } from '../../hardware/obm/sel.ts';
import { pause } from '../../platform/lib/pause.ts';
import { matches, patternViolations } from '../../platform/patterns/patterns.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { Severity } from '../../vocabulary/event.ts';

/** ipmitool's terms for the states of sensors; the first match applies. */
const usual: readonly [RegExp, Severity][] = [
  [/non-critical|(?<!un)correctable|predictive|degraded|redundancy lost|non-redundant/i, 'warning'],
  [/critical|non-recoverable|uncorrectable|fail|fault|ierr|thermal trip|lost/i, 'critical'],
];

/** Those of Redfish (DSP2046, LogEntry). */
const ofRedfish: Readonly<Record<string, Severity>> = { OK: 'information', Warning: 'warning', Critical: 'critical' };

/** Returns the severity when no rule of the poller matches. The end of a condition is always information. */
function usualSeverity(entry: SelEntry): Severity {
  const { Description = '', Severity: word = '' } = entry;
  if (endsCondition(entry)) return 'information';
  if (Object.hasOwn(ofRedfish, word)) return ofRedfish[word] as Severity;
  return usual.find(([words]) => words.test(Description))?.[1] ?? 'information';
}

const EXPRESSION = /^\/(.*)\/$/s;

/** @returns undefined when the text is not a regular expression */
const expressionIn = (wanted: string): string | undefined => EXPRESSION.exec(wanted)?.[1];

/** Pauses between rules: a poller may have many, with slow patterns. */
export async function severityOf(entry: SelEntry, rules: readonly AlertRule[]): Promise<Severity> {
  for (const { severity, ...match } of rules) {
    await pause();
    if (Object.entries(match).every(([field, wanted]) => fits(entry[field] ?? '', wanted))) return severity;
  }
  return usualSeverity(entry);
}

function fits(severity: string, wanted: string): boolean {
  const expression = expressionIn(wanted);
  return expression === undefined ? severity === wanted : matches(expression, severity) === true;
}

export const alertViolations = (rules: readonly AlertRule[]): Violation[] =>
  rules.flatMap(({ severity: _, ...match }, index) =>
    Object.entries(match).flatMap(([field, wanted]) => {
      const expression = expressionIn(wanted);
      return expression === undefined ? [] : patternViolations(`config.alerts.${index}.${field}`, expression);
    }),
  );
