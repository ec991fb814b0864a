/** Validates input against its schema. The OpenAPI document contains the same schemas. */
import type { TSchema } from 'typebox';
import type { Check } from '../../engine/api-port/query-check.ts';
import { validator } from '../../engine/api-port/values.ts';
import { invalidInput, VIOLATIONS_LIMIT, type Violation, violationError } from '../../engine/vocabulary/errors.ts';
import { NESTING_LIMIT } from '../../engine/vocabulary/json.ts';

/** Returns the schema of a record whose list is accepted too: the union of both. */
function listedRecord({ anyOf = [] }: TSchema & { anyOf?: readonly (TSchema & { items?: TSchema })[] }) {
  const [item, list] = anyOf;
  return list?.items === item ? { item, list } : undefined;
}

export function bodyCheck<S extends TSchema>(schema: S): Check<S> {
  const { item, list } = listedRecord(schema) ?? {};
  if (item !== undefined && list !== undefined) return recordsCheck(item, list);
  return (value) => {
    const violations = validator.violations(schema, value);
    if (violations.length > 0) throw violationError(violations, { about: 'Invalid body:' });
  };
}

/** Says what is wrong with each record of a list, by its index: the union would only say that none of its schemas fits. */
function recordsCheck(item: TSchema, list: TSchema): Check {
  const one: Check = bodyCheck(item);
  const checkLength: Check = bodyCheck({ ...list, items: {} });
  return (value) => {
    if (!Array.isArray(value)) return one(value);
    checkLength(value);
    const violations: Violation[] = [];
    for (const [index, record] of value.entries()) {
      for (const { path, message } of validator.violations(item, record))
        violations.push({ path: path === '' ? `[${index}]` : `[${index}].${path}`, message });
      if (violations.length >= VIOLATIONS_LIMIT) break;
    }
    if (violations.length > 0) throw violationError(violations, { about: 'Invalid body:' });
  };
}

/** Says why no store can keep the text; undefined: all can. Iterates no text: bodies are long. */
function unstorableText(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character; leave it out';
  return text.isWellFormed() ? undefined : 'half of a character (a lone surrogate); send valid Unicode';
}

/**
 * Rejects strings with NUL or lone surrogates (stores cannot keep them) and input that is nested too deeply, keys included.
 * @throws NodewrightError INVALID
 */
export function rejectUnstorable(value: unknown, path: string): void {
  const found = unstorableValue(value, 0);
  if (found === undefined) return;
  // The keys of the input make the path long, and may be the reason.
  throw invalidInput([path, ...found.keys].join('.').slice(0, 200).toWellFormed(), found.message);
}

interface UnstorableValue {
  keys: string[];
  message: string;
}

/** Its path is built only when something is found: to build one for each key takes seconds in a wide body. */
function unstorableValue(value: unknown, depth: number): UnstorableValue | undefined {
  if (typeof value === 'string') {
    const has = unstorableText(value);
    return has === undefined ? undefined : at(`has ${has}`);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= NESTING_LIMIT) return at(`is nested deeper than ${NESTING_LIMIT} levels`);
  for (const key in value) {
    const has = unstorableText(key);
    if (has !== undefined) return at(`has a key with ${has}`);
    const found = unstorableValue(Reflect.get(value, key), depth + 1);
    if (found) return { ...found, keys: [key, ...found.keys] };
  }
  return undefined;
}

const at = (message: string): UnstorableValue => ({ keys: [], message });
