/**
 * Regular expressions that others wrote, matched in linear time on the main thread.
 *
 * 1. A pattern is JavaScript's, with the flag `u` where it is valid with it, otherwise without. It is translated
 *    (`translate.ts`) and matched by RE2, which does not backtrack.
 * 2. The time of a match is bounded by the size of the pattern times the length of the text. Above `COST_LIMIT` the text
 *    is not tried: neither "matches" nor "does not match" is answered.
 * 3. A pattern that is not supported is refused where it comes in (`patternFaults`). One that was stored by an earlier
 *    version gives no answer either: it matches nothing.
 * 4. Compiled patterns are cached: a bounded number, each of a bounded size.
 */
import { RE2Set } from 're2js';
import type { Fault } from '../define/errors.ts';
import { Lru } from '../lib/lru.ts';
import { type Dialect, type Translated, translate, UnsupportedPattern } from './translate.ts';

/** Characters of a pattern. */
const LENGTH_LIMIT = 4_096;
/** Of a pattern, as `translate.ts` counts it. A program of this size is compiled in some 10 ms. */
const SIZE_LIMIT = 2_000;
/** Size times length. Some 70 ns each at worst, so about 70 ms; a common pattern takes a hundredth. */
const COST_LIMIT = 1_000_000;
/** Compiled patterns in memory. */
const CACHED = 500;
/** Bytes of states that each remembers. */
const STATES = 128 * 1_024;

type Compiled = { set: RE2Set; size: number } | { problem: string };

const cache = new Lru<Compiled>(CACHED);

export interface PatternFlags {
  ignoreCase?: boolean;
}

/** @returns undefined: there is no answer (rules 2 and 3) */
export function matches(pattern: string, text: string, flags: PatternFlags = {}): boolean | undefined {
  const compiled = compiledOf(pattern, flags);
  if ('problem' in compiled || costOf(pattern, text, flags) > COST_LIMIT) return undefined;
  return compiled.set.match(text).length > 0;
}

/** Of one match: the size of the pattern times the length of the text. */
export function costOf(pattern: string, text: string, flags: PatternFlags = {}): number {
  const compiled = compiledOf(pattern, flags);
  return 'problem' in compiled ? 0 : compiled.size * (text.length + 1);
}

/** @returns what is wrong with a pattern, as the end of a sentence about it; undefined: nothing */
export function problemWith(pattern: string, flags: PatternFlags = {}): string | undefined {
  const compiled = compiledOf(pattern, flags);
  return 'problem' in compiled ? compiled.problem : undefined;
}

/** @param pattern the pattern and its path in the input */
export function patternFaults(path: string, pattern: string): Fault[] {
  const message = problemWith(pattern);
  return message === undefined ? [] : [{ path, message }];
}

function compiledOf(pattern: string, { ignoreCase = false }: PatternFlags): Compiled {
  const key = `${ignoreCase ? 'i' : ''}/${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const compiled = compile(pattern, ignoreCase);
  // The key of a pattern that is too long would hold its memory.
  if (pattern.length <= LENGTH_LIMIT) cache.set(key, compiled);
  return compiled;
}

function compile(pattern: string, ignoreCase: boolean): Compiled {
  if (pattern.length > LENGTH_LIMIT) {
    return { problem: `is a regular expression of ${pattern.length} characters; expected at most ${LENGTH_LIMIT}` };
  }
  const unicode = isValid(pattern, 'u');
  if (!unicode && !isValid(pattern, '')) return { problem: 'is no JavaScript regular expression' };
  try {
    const translated = translate(pattern, { unicode, ignoreCase } satisfies Dialect);
    if (translated.size > SIZE_LIMIT) return { problem: tooLarge(translated) };
    const set = new RE2Set(RE2Set.UNANCHORED, 0, STATES);
    set.add(translated.re2);
    set.compile();
    return { set, size: translated.size };
  } catch (error) {
    const what = error instanceof UnsupportedPattern ? error.message : `is not supported (${(error as Error).message})`;
    return { problem: `${what}; expected a regular expression that can be matched in linear time` };
  }
}

const tooLarge = ({ size }: Translated) =>
  `has the size ${size} with its repetitions written out; expected a regular expression of at most ${SIZE_LIMIT}`;

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
