/**
 * Parses rules and tests a node's catalogs with them; pure.
 *
 * 1. A rule matches when its value exists and passes every operator; without an operator, when the value exists.
 * 2. A missing value never matches, whatever the operator.
 * 3. A pattern without an answer (`platform/patterns/`) fails its rule, also with `notRegex`.
 */
import type { RulesVerdict, RuleVerdict, SkuRule } from '../../api-port/skus.ts';
import { pause } from '../../platform/lib/pause.ts';
import { patternViolations } from '../../platform/patterns/patterns.ts';
import { redact } from '../../vocabulary/conceal.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { property } from '../../vocabulary/json.ts';
import { meets, type Operator, operators, patternOperators } from './operators.ts';
import { type CatalogsBySource, find, type Path, type PathResult, rulePath } from './paths.ts';

/** One operator of a rule. */
export interface RuleCheck {
  path: Path;
  /** null: only the existence of the value is tested. */
  operator: Operator | null;
  expected: unknown;
}

/** Maximum characters of JSON that an explanation shows of a value, and of the expected value. */
const VALUE_LENGTH = 1_024;

/** Compiles rules, which `ruleViolations` validated on input. An invalid path leads to no value. */
export const checksOf = (rules: readonly SkuRule[]): RuleCheck[] =>
  rules.flatMap((rule): RuleCheck[] => {
    const path = rulePath(rule.path) ?? { text: rule.path, source: '', keys: [] };
    const given = operatorsIn(rule);
    if (given.length === 0) return [{ path, operator: null, expected: null }];
    return given.map((operator) => ({ path, operator, expected: rule[operator] }));
  });

export const ruleViolations = (rules: readonly SkuRule[]): Violation[] =>
  rules.flatMap((rule, index) => {
    const wrong = { path: `rules.${index}.path`, message: 'has an empty segment; expected source.key.key' };
    return [...(rulePath(rule.path) === undefined ? [wrong] : []), ...rulePatternViolations(rule, index)];
  });

const rulePatternViolations = (rule: SkuRule, index: number): Violation[] =>
  operatorsIn(rule)
    .filter((operator) => patternOperators.includes(operator))
    .flatMap((operator) => patternViolations(`rules.${index}.${operator}`, rule[operator] as string));

const operatorsIn = (rule: SkuRule): Operator[] => operators.filter((operator) => rule[operator] !== undefined);

export function passes({ operator, expected }: RuleCheck, { exists, value }: PathResult): boolean {
  if (!exists) return false;
  return operator === null || meets(operator, value, expected);
}

/** @returns whether the node matches, and the result of each operator in the order of the rules */
export async function explain(checks: readonly RuleCheck[], catalogs: CatalogsBySource): Promise<RulesVerdict> {
  const rules: RuleVerdict[] = [];
  for (const check of checks) {
    await pause();
    const result = find(check.path, catalogs);
    rules.push(verdictOf(check, result, passes(check, result)));
  }
  return { matched: rules.every(({ passed }) => passed), rules };
}

const verdictOf = (
  { path, operator, expected }: RuleCheck,
  { exists, value }: PathResult,
  passed: boolean,
): RuleVerdict => ({
  path: path.text,
  operator,
  expected: shownValue(expected),
  exists,
  value: exists ? withoutSecrets(path, shownValue(value)) : null,
  passed,
});

/** Redacts the value: a catalog may contain a community string or a password. */
function withoutSecrets({ source, keys }: Path, value: unknown): unknown {
  const name = keys.at(-1) ?? source;
  return property(redact([], { [name]: value }), name);
}

/** Cache of shown values: a path may lead to a whole catalog, and many rules to the same one. */
const cutValues = new WeakMap<object, unknown>();

function shownValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? cutValue(value, value) : value;
  if (!cutValues.has(value)) cutValues.set(value, cutValue(JSON.stringify(value), value));
  return cutValues.get(value);
}

const cutValue = (text: string, value: unknown): unknown =>
  text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}...` : value;
