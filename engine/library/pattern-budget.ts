/**
 * Patterns of one validation: together they may cost a bounded amount of time, since a schema can have thousands, each
 * tested with a long text. A validation is synchronous, so there is one at a time.
 */
import { costOf, matches, type PatternFlags, problemWith } from '../patterns/patterns.ts';

/** Size times length (`patterns/`), some 300 ms at worst. */
const BUDGET = 4_000_000;

/** Thrown out of a validation: a text is too long for the patterns of the schema. */
export class TooCostly extends Error {}

let left = BUDGET;

/** To be called before each validation. */
export function renewBudget(): void {
  left = BUDGET;
}

/** @throws TooCostly */
export function tested(pattern: string, text: string, flags?: PatternFlags): boolean {
  left -= costOf(pattern, text, flags);
  const found = left < 0 ? undefined : matches(pattern, text, flags);
  if (found === undefined) throw new TooCostly('holds a text that is too long for the patterns of the schema');
  return found;
}

/** In place of `RegExp`, for ajv (`code.regExp`). @throws Error when the pattern is not supported */
export const regExp = Object.assign(
  (pattern: string) => {
    const problem = problemWith(pattern);
    if (problem !== undefined) throw new Error(`the pattern ${JSON.stringify(pattern).slice(0, 100)} ${problem}`);
    return { test: (text: string) => tested(pattern, text), toString: () => `/${pattern}/` };
  },
  { code: 'regExp' },
);
