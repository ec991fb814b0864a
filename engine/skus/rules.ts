/**
 * Rules, taken apart and put to a node's catalogs. Pure, but for the expressions in them.
 *
 * 1. A rule matches when its value is there and passes every operator; without one, when it is there.
 * 2. A missing value never matches, whatever the operator.
 * 3. An expression that ran away fails its rule, `notRegex` too: what could not be found out is no match.
 */
import type { RulesVerdict, RuleVerdict, SkuRule } from '../api-port/skus.ts';
import { type Fault, NodewrightError } from '../define/errors.ts';
import type { Expressions } from '../expressions/expressions.ts';
import { isPattern, NO_PATTERN } from '../expressions/pattern.ts';
import { judge, type Operator, operators, patternOperators, type Question } from './operators.ts';
import { type CatalogData, type Found, find, type Path, pathOf } from './paths.ts';

export type Asked = Pick<Expressions, 'test' | 'resting'>;

/** One operator of a rule. */
export interface Check {
  path: Path;
  /** null: the value has to be there, no more. */
  operator: Operator | null;
  expected: unknown;
}

type Answer = ReturnType<typeof answer>;

/** Characters of a value's JSON that an explanation shows, and of what it is compared with. */
const SHOWN = 1_024;

/** @param at where the rules stand in the input @throws NodewrightError INVALID, naming each path that is wrong */
export function checksOf(rules: readonly SkuRule[], at = 'rules'): Check[] {
  const faults: Fault[] = [];
  const checks = rules.flatMap((rule, index): Check[] => {
    const path = pathOf(rule.path);
    if (path === undefined) {
      faults.push({ path: `${at}.${index}.path`, message: 'has an empty segment; expected source.key.key' });
      return [];
    }
    const given = operators.filter((operator) => rule[operator] !== undefined);
    faults.push(...given.flatMap((operator) => faultsIn(rule, operator, `${at}.${index}.${operator}`)));
    if (given.length === 0) return [{ path, operator: null, expected: null }];
    return given.map((operator) => ({ path, operator, expected: rule[operator] }));
  });
  const [first] = faults;
  if (first !== undefined) throw new NodewrightError('INVALID', `${first.path} ${first.message}`, { faults });
  return checks;
}

function faultsIn(rule: SkuRule, operator: Operator, path: string): Fault[] {
  const isWrong = patternOperators.includes(operator) && !isPattern(rule[operator] as string);
  return isWrong ? [{ path, message: NO_PATTERN }] : [];
}

/** @returns a question when it takes an expression to tell */
export function answer({ operator, expected }: Check, { exists, value }: Found): boolean | Question {
  if (!exists) return false;
  return operator === null || judge(operator, value, expected);
}

/** @throws when no thread can be had */
export async function settle(answers: readonly Answer[], expressions: Asked): Promise<boolean[]> {
  const questions = answers.filter((one) => typeof one !== 'boolean');
  if (questions.length === 0) return answers as boolean[];
  const verdicts = await expressions.test(questions.map(({ pair }) => pair));
  const passed = questions.map(({ pair, wanted }, n) => verdicts[n] === wanted && !expressions.resting(pair[0]));
  return answers.map((one) => (typeof one === 'boolean' ? one : (passed.shift() as boolean)));
}

/** @returns whether the node matches, and what each operator says, in the order of the rules */
export async function explain(
  checks: readonly Check[],
  catalogs: CatalogData,
  expressions: Asked,
): Promise<RulesVerdict> {
  const values = checks.map(({ path }) => find(path, catalogs));
  const answers = checks.map((check, n) => answer(check, values[n] as Found));
  const passed = await settle(answers, expressions);
  const rules = checks.map((check, n) => verdictOf(check, values[n] as Found, passed[n] as boolean));
  return { matched: passed.every((one) => one), rules };
}

const verdictOf = ({ path, operator, expected }: Check, { exists, value }: Found, passed: boolean): RuleVerdict => ({
  ...{ path: path.text, operator, expected: shown(expected), exists },
  ...{ value: exists ? shown(value) : null, passed },
});

/** By value: what is shown of it. A path may lead to a whole catalog, and many rules to the same. */
const seen = new WeakMap<object, unknown>();

function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? cut(value, value) : value;
  if (!seen.has(value)) seen.set(value, cut(JSON.stringify(value), value));
  return seen.get(value);
}

const cut = (text: string, value: unknown): unknown => (text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : value);
