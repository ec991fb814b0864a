/** Validates input against its schema. The OpenAPI document contains the same schemas. */
import type { Static, TSchema } from 'typebox';
import { invalid, type Violation, violationError } from '../engine/define/errors.ts';
import { Validator, validator } from '../engine/validation/validator.ts';

/** Deeper input is never legitimate, and could overflow the stack of later recursive functions. */
const MAX_DEPTH = 64;

const texts = new Validator({ texts: true });

/** @throws NodewrightError INVALID */
export type Check<S extends TSchema = TSchema> = (value: unknown) => asserts value is Static<S>;

export function bodyCheck<S extends TSchema>(schema: S): Check<S> {
  return (value) => {
    const violations = validator.violations(schema, value);
    if (violations.length > 0) throw violationError(violations, { about: 'Invalid body:' });
  };
}

/** The check also converts texts, in place, to the numbers and booleans of the schema. */
export function queryCheck<S extends TSchema>(schema: S): Check<S> {
  return (value) => {
    const violations = texts.violations(schema, value).map(wholeParameter);
    if (violations.length > 0) throw violationError(violations, { about: 'Invalid query:' });
  };
}

/** Reports a parameter by its name, without the index of a value in it. */
const wholeParameter = ({ path, message }: Violation): Violation => ({ path: path.replace(/\.\d+$/, ''), message });

const hasNul = (text: string): boolean => text.includes('\0');

/**
 * Rejects strings with NUL (stores cannot keep them) and input that is nested too deeply, keys included.
 * @throws NodewrightError INVALID
 */
export function rejectUnstorable(value: unknown, path: string, depth = 0): void {
  if (typeof value === 'string' && hasNul(value)) throw unstorable(path, 'has a NUL character; leave it out');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) throw unstorable(path, `is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) {
    if (hasNul(key)) throw unstorable(path, 'has a key with a NUL character; leave it out');
    rejectUnstorable(inner, `${path}.${key}`, depth + 1);
  }
}

/** The keys of the input make the path long. */
const unstorable = (path: string, message: string) => invalid(path.slice(0, 200), message);
