/**
 * The operators of rules: each tests an existing value.
 *
 * 1. `notIn`, `notContains` and `notRegex` negate `in`, `contains` and `regex` for every value.
 * 2. A bound compares numbers, and strings that are written as a number (`"32"`,
 *    `" 1.5 "`, `"2e3"`); other values fail.
 * 3. `contains` looks for a substring of a string, or for an element of a list. Other values contain nothing.
 * 4. A regular expression is matched against a string, or the text of a number or a boolean. A text that is too long
 *    for the pattern fails in both directions, and so does every text if the pattern is not supported (`platform/patterns/`).
 */
import type { SkuRule } from '../../api-port/skus.ts';
import { matches } from '../../platform/patterns/patterns.ts';
import { isEqual } from './equal.ts';

export type Operator = Exclude<keyof SkuRule, 'path'>;

type Judge = (value: unknown, expected: never) => boolean;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Returns the value as a number; undefined when it is neither a number nor a numeric string. */
function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > 100 || !NUMBER.test(value.trim())) return undefined;
  return Number(value);
}

const boundTest =
  (holds: (value: number, limit: number) => boolean) =>
  (value: unknown, expected: unknown): boolean => {
    const [actual, limit] = [numberIn(value), numberIn(expected)];
    return actual !== undefined && limit !== undefined && holds(actual, limit);
  };

const isIn = (value: unknown, list: readonly unknown[]): boolean => list.some((one) => isEqual(one, value));

const contains = (value: unknown, part: string): boolean =>
  typeof value === 'string' || Array.isArray(value) ? value.includes(part) : false;

const patternTest =
  (wanted: boolean) =>
  (value: unknown, pattern: string): boolean =>
    ['string', 'number', 'boolean'].includes(typeof value) ? matches(pattern, String(value)) === wanted : !wanted;

const judges: Record<Operator, Judge> = {
  equals: isEqual,
  in: isIn,
  notIn: (value, list: readonly unknown[]) => !isIn(value, list),
  contains,
  notContains: (value, part: string) => !contains(value, part),
  greaterThan: boundTest((value, limit) => value > limit),
  lessThan: boundTest((value, limit) => value < limit),
  min: boundTest((value, limit) => value >= limit),
  max: boundTest((value, limit) => value <= limit),
  regex: patternTest(true),
  notRegex: patternTest(false),
};

export const operators = Object.keys(judges) as Operator[];
export const patternOperators: readonly Operator[] = ['regex', 'notRegex'];

/** @param expected of the type that the operator takes: rules are validated on input */
export const meets = (operator: Operator, value: unknown, expected: unknown): boolean =>
  judges[operator](value, expected as never);
