/** Values of options and arguments, checked before a command runs. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../../engine/define/thrown.ts';

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
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** JSON, or `@file` with JSON; any other text is taken as a text. */
export function jsonValue(text: string): unknown {
  if (text.startsWith('@')) return jsonFile(text.slice(1));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function jsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`${file}: ${messageOf(error)}; expected a file with JSON.`);
  }
}
