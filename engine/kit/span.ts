/** Spans of time as tests write them: `1h`, `90s`, `1h 30m`, or a number of ms. */

import { shownJson } from '../library/options/rejection.ts';
import { misuse } from './misuse.ts';

const MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)\s*/;

/** @returns ms @throws NodewrightError INVALID */
export function spanOf(span: string | number): number {
  const ms = typeof span === 'number' ? span : msIn(span);
  if (Number.isFinite(ms) && ms >= 0) return Math.ceil(ms);
  throw misuse(
    `the time ${shownJson(span)}`,
    "a number of ms, or a text such as '90s', '1h 30m' or '2d'",
    'correct it',
  );
}

function msIn(text: string): number {
  let [remainder, sum] = [text.trim(), 0];
  if (remainder === '') return Number.NaN;
  while (remainder !== '') {
    const part = PART.exec(remainder);
    if (part === null) return Number.NaN;
    sum += Number(part[1]) * (MS[part[2] as string] as number);
    remainder = remainder.slice(part[0].length);
  }
  return sum;
}
