/** Values of options and arguments, checked before a command runs. */
import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { isObject, type JsonObject } from '../../engine/vocabulary/json.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../engine/vocabulary/units.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** A whole number from 0. */
export function position(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** A whole number from 1. */
export function count(text: string): number {
  const number = position(text);
  if (number === 0) throw new InvalidArgumentError('Expected a whole number from 1.');
  return number;
}

/** Adds a value to those of an option that may be repeated. */
export const appendValue = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** JSON, or `@file` with JSON; any other text is taken as a text. */
export function jsonValue(text: string): unknown {
  if (text.startsWith('@')) return jsonFile(text.slice(1));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether `jsonRecord` reads it: JSON, `@file`, a name that ends with `.json`, or that of a file which is there. */
export const isRecordText = (text: string): boolean =>
  /^\s*[@{[]/.test(text) || text.endsWith('.json') || existsSync(text);

/** A record: JSON, `@file`, or the path of a file. */
export function jsonRecord(text: string): JsonObject {
  const value = /^\s*[@{[]/.test(text) ? jsonValue(text) : jsonFile(text);
  if (isObject(value)) return value;
  throw new CommandError(`found ${text.slice(0, 40)}; expected an object as JSON, or a file with one`, EXIT.usage);
}

export function jsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)}; expected a file with JSON`, EXIT.usage);
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
/** A timer of JavaScript can be no longer. */
const LONGEST_MS = 2 ** 31 - 1;

/** ms of a time such as `90s`, `10m`, `2h`. */
export function timeSpan(text: string): number {
  const ms = spanMs(text);
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgumentError('Expected a time such as 90s, 10m or 2h, at most 24d.');
}

/** Seconds of a time such as `2h` or `90d`; a number alone is seconds. */
export function lifeSec(text: string): number {
  const seconds = /^\d{1,15}$/.test(text) ? Number(text) : spanMs(text) / 1_000;
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('Expected a time such as 2h or 90d.');
}

/** @returns NaN for another text */
function spanMs(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(number) * (UNIT_MS[unit] ?? Number.NaN);
}
