/**
 * The time budget for the patterns of one validation, since a schema can have thousands, each tested with a long text.
 * Validation is synchronous, so only one runs at a time.
 */
import { costOf, matches, type PatternFlags, problemWith } from '../../platform/patterns/patterns.ts';

/** Size times length (`platform/patterns/`), about 300 ms at worst. */
const BUDGET = 4_000_000;

/** Thrown during a validation: a text is too long for the patterns of the schema. */
export class TooCostly extends Error {}

let remainingBudget = BUDGET;

/** Must be called before each validation. */
export function renewBudget(): void {
  remainingBudget = BUDGET;
}

/** @throws TooCostly */
export function testPattern(pattern: string, text: string, flags?: PatternFlags): boolean {
  remainingBudget -= costOf(pattern, text, flags);
  const isMatch = remainingBudget < 0 ? undefined : matches(pattern, text, flags);
  if (isMatch === undefined) throw new TooCostly('holds a text that is too long for the patterns of the schema');
  return isMatch;
}

/** Replaces `RegExp` in ajv (`code.regExp`). @throws Error if the pattern is not supported */
export const regExp = Object.assign(
  (pattern: string) => {
    const problem = problemWith(pattern);
    if (problem !== undefined) throw new Error(`the pattern ${JSON.stringify(pattern).slice(0, 100)} ${problem}`);
    return { test: (text: string) => testPattern(pattern, text), toString: () => `/${pattern}/` };
  },
  { code: 'regExp' },
);
