/**
 * Validates values against JSON Schemas and returns violations with paths. Values are never part of the messages,
 * because they may be secrets.
 *
 * 1. Patterns and formats are matched in linear time, within a budget (`pattern-budget.ts`).
 * 2. In a large value only the first violation is reported, because each one costs memory.
 * 3. Validation with a user-supplied schema takes a limited time: its weight (`schema-limits.ts`) times the number of
 *    values is limited.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { encryptedPaths } from '../define/encrypted.ts';
import type { Violation } from '../define/errors.ts';
import type { JsonObject } from '../define/json.ts';
import { matches } from '../patterns/patterns.ts';
import { addFormats } from './formats.ts';
import { regExp, renewBudget, TooCostly } from './pattern-budget.ts';
import { shown } from './rejection.ts';
import { dotted } from './templates.ts';

type Found = 'all' | 'first';

const validators: Record<Found, WeakMap<object, ValidateFunction>> = { all: new WeakMap(), first: new WeakMap() };
/** Weights of user-supplied schemas. */
const weights = new WeakMap<object, number>();

const common = { useDefaults: true, strict: false, logger: false, addUsedSchema: false, ownProperties: true } as const;
const options = { ...common, code: { regExp } };
/** Validates schemas. Created once, because compiling the meta-schema takes longer than most schemas. */
const judge = addFormats(new Ajv({ ...options, allErrors: true }));

/** Maximum number of values for a complete list of violations. */
const ALL_LIMIT = 1_000;
/** Weight times values: a second at most. */
const WORK_LIMIT = 20_000_000;

/**
 * @param weight of a user-supplied schema
 * @throws Error if the schema does not compile
 */
export function checkSchema(schema: object, weight?: number): void {
  if (weight !== undefined) weights.set(schema, weight);
  validatorOf(schema, 'all');
}

/** One Ajv per schema, so that `$id`s of different definitions do not conflict. */
function validatorOf(schema: object, found: Found): ValidateFunction {
  const kept = validators[found].get(schema);
  if (kept !== undefined) return kept;
  renewBudget();
  judge.validateSchema(schema, true);
  const ajv = new Ajv({ ...options, allErrors: found === 'all', validateSchema: false });
  const validator = addFormats(ajv).compile(schema);
  if ('$async' in validator) throw new Error('the schema is $async; expected a synchronous schema');
  validators[found].set(schema, validator);
  return validator;
}

/** Counts the values within a value, itself included, up to the limit. */
function count(value: unknown, limit: number): number {
  let found = 1;
  if (typeof value !== 'object' || value === null) return found;
  for (const inner of Object.values(value)) {
    if (found >= limit) break;
    found += count(inner, limit - found);
  }
  return found;
}

/** @returns the violations reported by ajv, or the reason why the value was not validated */
function errorsIn(schema: object, value: unknown): readonly ErrorObject[] | string {
  const limit = Math.floor(WORK_LIMIT / (weights.get(schema) ?? 1));
  const values = count(value, limit);
  if (values >= limit) return `holds ${limit} values or more; expected fewer for a schema of this size`;
  const validator = validatorOf(schema, values > ALL_LIMIT ? 'first' : 'all');
  renewBudget();
  try {
    return validator(value) ? [] : (validator.errors ?? []);
  } catch (error) {
    if (error instanceof TooCostly) return error.message;
    throw error;
  }
}

/** Adds the schema's defaults to the value, valid or not. */
export function fillDefaults(schema: object, value: object): void {
  errorsIn(schema, value);
}

/** Which parts of a value are known. */
export interface SchemaScope {
  /** More top-level values come later: a missing one is not a violation yet. */
  partial?: boolean;
  /** JSON pointers to values that are not known yet. */
  unknown?: readonly string[] | undefined;
}

/**
 * Returns the schema violations. An encrypted value is treated as unknown; it is validated again after decryption.
 * @param value receives the schema's defaults
 */
export function schemaViolations(schema: object, value: unknown, judged: SchemaScope = {}): Violation[] {
  const found = errorsIn(schema, value);
  if (typeof found === 'string') return [{ path: '', message: found }];
  if (found.length === 0) return [];
  const encrypted = encryptedPaths(value);
  return violationsOf(found, {
    ...judged,
    unknown: encrypted.length === 0 ? judged.unknown : [...(judged.unknown ?? []), ...encrypted],
  });
}

function violationsOf(found: readonly ErrorObject[], judged: SchemaScope): Violation[] {
  const errors = found.filter((error) => !excused(error, judged));
  const blurred = found.filter((error) => excused(error, judged) && !plain.has(error.keyword));
  // If a branch of an `anyOf` cannot be decided, violations inside the branch cannot be either.
  const judgeable = errors.filter(
    (error) => !blurred.some((outer) => error.schemaPath.startsWith(`${outer.schemaPath}/`)),
  );
  return judgeable.map(violationOf);
}

/** Keywords that concern an object or list itself, not its contents. */
const plain = new Set(['type', 'required', 'additionalProperties', 'propertyNames', 'minItems', 'maxItems']);

function excused(error: ErrorObject, { partial = false, unknown = [] }: SchemaScope): boolean {
  const at = error.instancePath;
  if (partial && at === '' && error.keyword !== 'type' && error.keyword !== 'additionalProperties') return true;
  return unknown.some(
    (path) => at === path || at.startsWith(`${path}/`) || (path.startsWith(`${at}/`) && !plain.has(error.keyword)),
  );
}

function violationOf(error: ErrorObject): Violation {
  const at = dotted(error.instancePath);
  const inside = (key: unknown) => (at === '' ? String(key) : `${at}.${key}`);
  if (error.keyword === 'required') return { path: inside(error.params.missingProperty), message: 'is missing' };
  if (error.keyword === 'additionalProperties') {
    return { path: inside(error.params.additionalProperty), message: 'is not known here' };
  }
  if (error.keyword === 'enum') return { path: at, message: `must be one of ${shown(error.params.allowedValues)}` };
  return { path: at, message: error.message ?? `does not fit ${error.keyword}` };
}

/** Whether an object of this schema may have the key. */
export function knows(schema: object, key: string): boolean {
  const { allOf, properties, patternProperties, additionalProperties } = schema as {
    allOf?: object[];
    properties?: JsonObject;
    patternProperties?: JsonObject;
    additionalProperties?: unknown;
  };
  if (allOf !== undefined && !allOf.every((part) => knows(part, key))) return false;
  if (additionalProperties !== false || (properties !== undefined && Object.hasOwn(properties, key))) return true;
  return Object.keys(patternProperties ?? {}).some((pattern) => matches(pattern, key) === true);
}
