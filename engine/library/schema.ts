/**
 * Checks values against JSON Schemas, and returns what does not fit as faults with paths. Values are never part of the
 * messages: they may be secrets.
 *
 * 1. Patterns and formats are matched in linear time, within a budget (`pattern-budget.ts`).
 * 2. In a large value only the first fault is looked for: each costs memory.
 * 3. Validating with a schema that others wrote takes a bounded time: its weight (`schema-limits.ts`) times the number of
 *    values is limited.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Fault } from '../define/errors.ts';
import { sealedPaths } from '../define/sealed.ts';
import { matches } from '../patterns/patterns.ts';
import { addFormats } from './formats.ts';
import { regExp, renewBudget, TooCostly } from './pattern-budget.ts';
import { shown } from './refusal.ts';
import { dotted } from './templates.ts';
import type { Json } from './types.ts';

type Found = 'all' | 'first';

const validators: Record<Found, WeakMap<object, ValidateFunction>> = { all: new WeakMap(), first: new WeakMap() };
/** Of schemas that others wrote. */
const weights = new WeakMap<object, number>();

const common = { useDefaults: true, strict: false, logger: false, addUsedSchema: false, ownProperties: true } as const;
const options = { ...common, code: { regExp } };
/** Validates the schemas themselves. Its own schema takes longer to compile than most of them, so it is made once. */
const judge = addFormats(new Ajv({ ...options, allErrors: true }));

/** Values in which all faults are looked for. */
const ALL_LIMIT = 1_000;
/** Weight times values: a second at most. */
const WORK_LIMIT = 20_000_000;

/**
 * @param weight of a schema that others wrote
 * @throws Error when the schema does not compile
 */
export function checkSchema(schema: object, weight?: number): void {
  if (weight !== undefined) weights.set(schema, weight);
  validatorOf(schema, 'all');
}

/** One Ajv per schema: `$id`s of different definitions never meet. */
function validatorOf(schema: object, found: Found): ValidateFunction {
  const kept = validators[found].get(schema);
  if (kept !== undefined) return kept;
  renewBudget();
  judge.validateSchema(schema, true);
  const ajv = new Ajv({ ...options, allErrors: found === 'all', validateSchema: false });
  const validator = addFormats(ajv).compile(schema);
  if ('$async' in validator) throw new Error('the schema is $async; expected one that answers at once');
  validators[found].set(schema, validator);
  return validator;
}

/** Values within a value, itself included, counted no further than the limit. */
function count(value: unknown, limit: number): number {
  let found = 1;
  if (typeof value !== 'object' || value === null) return found;
  for (const inner of Object.values(value)) {
    if (found >= limit) break;
    found += count(inner, limit - found);
  }
  return found;
}

/** @returns the faults as ajv reports them, or why it was not asked */
function errorsIn(schema: object, value: unknown): readonly ErrorObject[] | string {
  const limit = Math.floor(WORK_LIMIT / (weights.get(schema) ?? 1));
  const values = count(value, limit);
  if (values >= limit) return `holds ${limit} values or more; expected fewer, for a schema of this size`;
  const validator = validatorOf(schema, values > ALL_LIMIT ? 'first' : 'all');
  renewBudget();
  try {
    return validator(value) ? [] : (validator.errors ?? []);
  } catch (error) {
    if (error instanceof TooCostly) return error.message;
    throw error;
  }
}

/** Fills the schema's defaults in; whether the value fits does not matter. */
export function fillDefaults(schema: object, value: object): void {
  errorsIn(schema, value);
}

/** How much of a value is there to be judged. */
export interface Judged {
  /** More top-level values come later: what is missing now is no fault. */
  partial?: boolean;
  /** JSON pointers to values that are not known yet. */
  unknown?: readonly string[] | undefined;
}

/**
 * A sealed value counts as one that is not known yet: it is judged again when it is open.
 * @param value gets the schema's defaults filled in
 */
export function misfits(schema: object, value: unknown, judged: Judged = {}): Fault[] {
  const found = errorsIn(schema, value);
  if (typeof found === 'string') return [{ path: '', message: found }];
  if (found.length === 0) return [];
  const sealed = sealedPaths(value);
  return faultsOf(found, {
    ...judged,
    unknown: sealed.length === 0 ? judged.unknown : [...(judged.unknown ?? []), ...sealed],
  });
}

function faultsOf(found: readonly ErrorObject[], judged: Judged): Fault[] {
  const errors = found.filter((error) => !excused(error, judged));
  const blurred = found.filter((error) => excused(error, judged) && !plain.has(error.keyword));
  // A branch of an `anyOf` that cannot be judged: neither can what stands inside the branch.
  const judgeable = errors.filter(
    (error) => !blurred.some((outer) => error.schemaPath.startsWith(`${outer.schemaPath}/`)),
  );
  return judgeable.map(faultOf);
}

/** Keywords that look at an object or list itself, not at what it holds. */
const plain = new Set(['type', 'required', 'additionalProperties', 'propertyNames', 'minItems', 'maxItems']);

function excused(error: ErrorObject, { partial = false, unknown = [] }: Judged): boolean {
  const at = error.instancePath;
  if (partial && at === '' && error.keyword !== 'type' && error.keyword !== 'additionalProperties') return true;
  return unknown.some(
    (path) => at === path || at.startsWith(`${path}/`) || (path.startsWith(`${at}/`) && !plain.has(error.keyword)),
  );
}

function faultOf(error: ErrorObject): Fault {
  const at = dotted(error.instancePath);
  const inside = (key: unknown) => (at === '' ? String(key) : `${at}.${key}`);
  if (error.keyword === 'required') return { path: inside(error.params.missingProperty), message: 'is missing' };
  if (error.keyword === 'additionalProperties') {
    return { path: inside(error.params.additionalProperty), message: 'is not known here' };
  }
  if (error.keyword === 'enum') return { path: at, message: `must be one of ${shown(error.params.allowedValues)}` };
  return { path: at, message: error.message ?? `does not fit ${error.keyword}` };
}

/** Whether an object of this schema may hold the key. */
export function knows(schema: object, key: string): boolean {
  const { allOf, properties, patternProperties, additionalProperties } = schema as {
    allOf?: object[];
    properties?: Json;
    patternProperties?: Json;
    additionalProperties?: unknown;
  };
  if (allOf !== undefined && !allOf.every((part) => knows(part, key))) return false;
  if (additionalProperties !== false || (properties !== undefined && Object.hasOwn(properties, key))) return true;
  return Object.keys(patternProperties ?? {}).some((pattern) => matches(pattern, key) === true);
}
