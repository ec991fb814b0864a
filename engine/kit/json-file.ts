/** Reads JSON files of authors, with a check of their shape; a bad file is named. */
import { readFileSync } from 'node:fs';
import type { Static, TSchema } from 'typebox';
import { validator } from '../platform/validation/validator.ts';
import { violationList } from '../vocabulary/errors.ts';
import { codeOf, messageOf } from '../vocabulary/thrown-values.ts';
import { misuse } from './misuse.ts';

/** @param advice says how such a file is made @throws NodewrightError INVALID */
export function readJsonFile<T extends TSchema>(file: string, schema: T, advice: string): Static<T> {
  const json = parseJson(file, textOf(file, advice));
  if (validator.accepts(schema, json)) return json as Static<T>;
  const violations = validator.violations(schema, json, 'is not known');
  throw misuse(`${file} with ${violationList(violations.slice(0, 5))}`, `a file without these violations`, advice);
}

function textOf(file: string, advice: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const what = codeOf(error) === 'ENOENT' ? `no file ${file}` : `${file}, which cannot be read (${codeOf(error)})`;
    throw misuse(what, 'a JSON file', advice);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = messageOf(error);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    const line = Number.isNaN(position) ? '' : `:${text.slice(0, position).split('\n').length}`;
    throw misuse(`${message} at ${file}${line}`, 'JSON', 'correct the file');
  }
}
