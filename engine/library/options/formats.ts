/**
 * The formats of JSON Schema, matched in linear time: ajv-formats has regular expressions that backtrack (`email`,
 * `url`). Those that RE2 does not support are only applied to texts of limited length.
 */
import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { problemWith } from '../../platform/patterns/patterns.ts';
import { testPattern } from './pattern-budget.ts';

/** Maximum characters; the time grows with the square of the length. */
const BACKTRACKING = 512;

function boundedFormat(form: RegExp): (text: string) => boolean {
  const flags = { ignoreCase: form.ignoreCase };
  if (problemWith(form.source, flags) === undefined) return (text) => testPattern(form.source, text, flags);
  return (text) => text.length <= BACKTRACKING && form.test(text);
}

export const formats = Object.fromEntries(
  Object.entries<Format>(fullFormats).map(([name, format]) => [
    name,
    format instanceof RegExp ? boundedFormat(format) : format,
  ]),
);
