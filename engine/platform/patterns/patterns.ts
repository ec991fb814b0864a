/**
 * User-supplied regular expressions, matched in linear time on the main thread.
 *
 * 1. A pattern is a JavaScript regular expression, with the flag `u` if it is valid with it, otherwise without. It is
 *    translated (`translate.ts`) and matched by RE2, which does not backtrack.
 * 2. The time of a match is limited by the size of the pattern times the length of the text. Above `COST_LIMIT` the
 *    text is not tested: the result is neither "matches" nor "does not match".
 * 3. An unsupported pattern is rejected on input (`patternViolations`). It has no result either: it matches nothing.
 * 4. Checking a pattern translates it, which takes a fraction of a millisecond; it is compiled on its first match.
 * 5. Patterns are cached: a limited number, each of a limited size.
 */
import { LRUCache } from 'lru-cache';
import { RE2Set } from 're2js';
import type { Violation } from '../../vocabulary/errors.ts';
import { type TranslatedPattern, translate, UnsupportedPattern } from './translate.ts';

/** Maximum characters of a pattern. */
const LENGTH_LIMIT = 4_096;
/** Maximum size of a pattern as counted by `translate.ts`. A program of this size compiles in about 10 ms. */
const SIZE_LIMIT = 2_000;
/** Size times length. About 70 ns per unit at worst, so about 70 ms; a common pattern takes a hundredth. */
const COST_LIMIT = 1_000_000;
/** Cached results of checks. */
const CHECKED = 5_000;
/** Cached compiled patterns. A large one takes up to 500 KiB, a small one up to 50. */
const SMALL = 100;
const SMALL_COMPILED = 2_000;
const LARGE_COMPILED = 100;
/** Bytes of states that a compiled pattern caches; without them it is slower. */
const STATES = 32 * 1_024;
const STATES_PER_UNIT = 64;

/** Without the translation, which can be a hundred times as long as its pattern. */
type PatternCheck = { size: number; unicode: boolean } | { problem: string };

const checked = new LRUCache<string, PatternCheck>({ max: CHECKED });
const small = new LRUCache<string, RE2Set>({ max: SMALL_COMPILED });
const large = new LRUCache<string, RE2Set>({ max: LARGE_COMPILED });

export interface PatternFlags {
  ignoreCase?: boolean;
}

/** @returns undefined: no result (rules 2 and 3) */
export function matches(pattern: string, text: string, { ignoreCase = false }: PatternFlags = {}): boolean | undefined {
  const patternCheck = check(pattern, ignoreCase);
  if ('problem' in patternCheck || patternCheck.size * (text.length + 1) > COST_LIMIT) return undefined;
  const compiled = patternCheck.size <= SMALL ? small : large;
  const key = keyOf(pattern, ignoreCase);
  const set = compiled.get(key) ?? compile(translate(pattern, { unicode: patternCheck.unicode, ignoreCase }));
  compiled.set(key, set);
  return set.match(text).length > 0;
}

/** Returns the cost of one match: the size of the pattern times the length of the text. */
export function costOf(pattern: string, text: string, { ignoreCase = false }: PatternFlags = {}): number {
  const patternCheck = check(pattern, ignoreCase);
  return 'problem' in patternCheck ? 0 : patternCheck.size * (text.length + 1);
}

/** @returns what is wrong with a pattern, as the end of a sentence about it; undefined: nothing */
export function problemWith(pattern: string, { ignoreCase = false }: PatternFlags = {}): string | undefined {
  const patternCheck = check(pattern, ignoreCase);
  return 'problem' in patternCheck ? patternCheck.problem : undefined;
}

/** @param path of the pattern in the input */
export function patternViolations(path: string, pattern: string): Violation[] {
  const message = problemWith(pattern);
  return message === undefined ? [] : [{ path, message }];
}

const keyOf = (pattern: string, ignoreCase: boolean): string => `${ignoreCase ? 'i' : ''}/${pattern}`;

function check(pattern: string, ignoreCase: boolean): PatternCheck {
  // Not cached, because the key would keep the pattern in memory.
  if (pattern.length > LENGTH_LIMIT) {
    return { problem: `is a regular expression of ${pattern.length} characters; expected at most ${LENGTH_LIMIT}` };
  }
  const key = keyOf(pattern, ignoreCase);
  const patternCheck = checked.get(key) ?? checkAnew(pattern, ignoreCase);
  checked.set(key, patternCheck);
  return patternCheck;
}

function checkAnew(pattern: string, ignoreCase: boolean): PatternCheck {
  const unicode = isValid(pattern, 'u');
  if (!unicode && !isValid(pattern, '')) return { problem: 'is not a JavaScript regular expression' };
  try {
    const { size } = translate(pattern, { unicode, ignoreCase });
    return size > SIZE_LIMIT ? { problem: tooLarge(size) } : { size, unicode };
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    return { problem: `${error.message}; expected a regular expression that can be matched in linear time` };
  }
}

function compile({ re2, size }: TranslatedPattern): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, STATES + STATES_PER_UNIT * size);
  set.add(re2);
  set.compile();
  return set;
}

const tooLarge = (size: number) =>
  `has the size ${size} with its repetitions expanded; expected a regular expression of at most ${SIZE_LIMIT}`;

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
