/** The rules of a SKU as they are edited: one operator a line, values as texts. */

import type { SkuRule } from '../../../../engine/api-port/index.ts';
import { byKey } from '../../../client/by-key.ts';
import { nextLineKey } from '../../parts/line-key.ts';

/** `exists`: the rule has no operator. */
export const ruleOperators = [
  'exists',
  'equals',
  'in',
  'notIn',
  'contains',
  'notContains',
  'greaterThan',
  'lessThan',
  'min',
  'max',
  'regex',
  'notRegex',
] as const;
type RuleOperator = (typeof ruleOperators)[number];

export interface EditedRule {
  /** Identifies the line, in the page only. */
  key: number;
  /** Lines of one rule with several operators: the number of rules decides between SKUs. */
  group: number;
  path: string;
  operator: RuleOperator;
  text: string;
}

/** Their values are texts, also if they look like JSON. */
const ofText: readonly RuleOperator[] = ['contains', 'notContains', 'regex', 'notRegex'];

const ofNumber: readonly RuleOperator[] = ['greaterThan', 'lessThan', 'min', 'max'];

export function emptyRule(): EditedRule {
  const key = nextLineKey();
  return { key, group: key, path: '', operator: 'equals', text: '' };
}

/** A rule with several operators becomes several lines. */
export function editedRules(rules: readonly SkuRule[]): EditedRule[] {
  return rules.flatMap(({ path, ...checks }): EditedRule[] => {
    const checkEntries = Object.entries(checks).filter(([, value]) => value !== undefined);
    if (checkEntries.length === 0) return [{ ...emptyRule(), path, operator: 'exists' }];
    const { group } = emptyRule();
    return checkEntries.map(([operator, value]) => ({
      ...emptyRule(),
      group,
      path,
      operator: operator as RuleOperator,
      text: shownValue(operator as RuleOperator, value),
    }));
  });
}

function shownValue(operator: RuleOperator, value: unknown): string {
  if (ofText.includes(operator) || ofNumber.includes(operator)) return String(value);
  return typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value);
}

function checkOf({ operator, text }: EditedRule): Omit<SkuRule, 'path'> {
  if (operator === 'exists') return {};
  if (ofText.includes(operator)) return { [operator]: text };
  if (ofNumber.includes(operator))
    return { [operator]: text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text) };
  if (operator === 'equals') return { equals: isJson(text) ? JSON.parse(text) : text };
  return { [operator]: listOf(text) };
}

/** JSON, or texts separated by commas. */
function listOf(text: string): unknown[] {
  if (isJson(text)) {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  }
  return text.split(',').map((part) => part.trim());
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Lines without a path are not finished yet. */
export function finishedRules(lines: readonly EditedRule[]): SkuRule[] {
  const finished = lines.filter(({ path }) => path.trim() !== '');
  // Lines of one rule whose paths are different by now are rules of their own.
  const groups = byKey(finished, ({ group, path }) => JSON.stringify([group, path]));
  return [...groups.values()].map(
    (group): SkuRule => Object.assign({ path: group[0]?.path ?? '' }, ...group.map(checkOf)),
  );
}
