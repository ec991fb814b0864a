/** Validates input against its schema. The OpenAPI document contains the same schemas. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { NodewrightError, type Violation } from '../engine/define/errors.ts';

/** Deeper input is never legitimate, and could overflow the stack of later recursive functions. */
const MAX_DEPTH = 64;
/** Up to this many values all violations are reported; beyond it only the first, since each one costs memory. */
const TELL_ALL_LIMIT = 1_000;

// Verbose: a message may quote the description of the schema; it never quotes the value.
const options = { strict: false, allowUnionTypes: true, verbose: true };
const first = new Ajv2020(options);
const all = new Ajv2020({ ...options, allErrors: true });
// Query values arrive as text.
const texts = new Ajv2020({ ...options, allErrors: true, coerceTypes: true });
for (const ajv of [first, all, texts]) formats.default(ajv);

export type Check = (value: unknown) => void;

/** Returns a check that throws NodewrightError INVALID. */
export function bodyCheck(schema: TSchema): Check {
  return (value) => run(size(value) > TELL_ALL_LIMIT ? first : all, schema, value, 'body');
}

/** Returns a check that also converts texts, in place, to the numbers and booleans of the schema. */
export function queryCheck(schema: TSchema): Check {
  return (value) => run(texts, schema, value, 'query');
}

/** Ajv compiles a schema on first use and caches it: compiling all two hundred at startup would delay it. */
function run(ajv: Ajv2020, schema: TSchema, value: unknown, where: string): void {
  const validate = ajv.compile(schema);
  if (validate(value)) return;
  const violations = (validate.errors ?? [])
    .map(violationOf)
    .map((violation) => (ajv === texts ? wholeParameter(violation) : violation));
  const [worst] = violations;
  const said = worst ? `${worst.path === '' ? 'it' : worst.path} ${worst.message}` : 'it does not match the schema';
  throw new NodewrightError('INVALID', `Invalid ${where}: ${said}`, { violations });
}

/** Returns `{ path: 'options.a.b', message }`. Values are not included: they may be secret. */
function violationOf({
  instancePath,
  keyword,
  params,
  parentSchema,
  message = 'is not valid',
}: ErrorObject): Violation {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const under = (name: unknown) => (path === '' ? String(name) : `${path}.${name}`);
  if (keyword === 'additionalProperties') {
    return { path: under(params.additionalProperty), message: 'is unknown or cannot be set; leave it out' };
  }
  if (keyword === 'required') return { path: under(params.missingProperty), message: 'is missing' };
  if (keyword === 'enum') return { path, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` };
  if (keyword === 'not') return { path, message: `must be ${parentSchema?.description}` };
  return { path, message };
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

const unstorable = (path: string, message: string) =>
  new NodewrightError('INVALID', `${path.slice(0, 200)} ${message}`, {
    violations: [{ path: path.slice(0, 200), message }],
  });

/** Returns the number of values, counted up to the limit. Only for input that `rejectUnstorable` accepted. */
function size(value: unknown, limit = TELL_ALL_LIMIT): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const inner of Object.values(value)) {
    count += size(inner, limit - count);
    if (count > limit) break;
  }
  return count;
}
