/** How much an entry of a system event log matters. */
import type { AlertRule } from '../api-port/pollers.ts';
import type { Severity } from '../define/event.ts';
import type { Pair } from '../expressions/expressions.ts';
import type { SelEntry } from '../obm/sel.ts';

/** Words of ipmitool for states of sensors; the first that fits. */
const usual: readonly [RegExp, Severity][] = [
  [/non-critical|(?<!un)correctable|predictive|degraded|redundancy lost|non-redundant/i, 'warning'],
  [/critical|non-recoverable|uncorrectable|fail|fault|ierr|thermal trip|lost/i, 'critical'],
];

/** What it is when no rule of the poller matches. That something is over is never worse than information. */
function usualSeverity({ Description = '', 'Event Direction': direction = '' }: SelEntry): Severity {
  if (direction.startsWith('Deassertion')) return 'information';
  return usual.find(([words]) => words.test(Description))?.[1] ?? 'information';
}

const EXPRESSION = /^\/(.*)\/$/s;

/** @returns undefined for a text that is no expression */
export const expressionIn = (wanted: string): string | undefined => EXPRESSION.exec(wanted)?.[1];

/** @param test expressions come from outside: whoever evaluates them bounds them */
export async function severityOf(
  entry: SelEntry,
  rules: readonly AlertRule[],
  test: (pairs: readonly Pair[]) => Promise<boolean[]>,
): Promise<Severity> {
  for (const { severity, ...match } of rules) {
    const fields = Object.entries(match);
    const found = (field: string) => entry[field] ?? '';
    const pairs = fields.flatMap(([field, wanted]): Pair[] => {
      const expression = expressionIn(wanted);
      return expression === undefined ? [] : [[expression, found(field)]];
    });
    const same = fields.every(([field, wanted]) => expressionIn(wanted) !== undefined || found(field) === wanted);
    if (same && (await test(pairs)).every((matches) => matches)) return severity;
  }
  return usualSeverity(entry);
}
