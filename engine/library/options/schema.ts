/**
 * Validates values against JSON Schemas and returns violations with paths. Values are never part of the messages,
 * because they may be secrets.
 *
 * 1. Patterns and formats are matched in linear time, within a budget (`pattern-budget.ts`).
 * 2. Validation with a user-supplied schema takes a limited time: its weight (`schema-limits.ts`) times the number of
 *    values is limited.
 */
import type { ErrorObject } from 'ajv';
import { matches } from '../../platform/patterns/patterns.ts';
import { countValues, Validator } from '../../platform/validation/validator.ts';
import { violationOf } from '../../platform/validation/violation-of.ts';
import { encryptedPaths } from '../../vocabulary/encrypted-values.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { formats } from './formats.ts';
import { unlessPassed } from './passed-checks.ts';
import { regExp, renewBudget, TooCostly } from './pattern-budget.ts';

/** The message for a key that the schema of a definition or of options does not have. */
export const UNKNOWN_KEY = 'is not known here';

/** Weights of user-supplied schemas. */
const weights = new WeakMap<object, number>();

const validator = new Validator({ supplied: { regExp, formats, begin: renewBudget } });

/** Weight times values: a second at most. */
const WORK_LIMIT = 20_000_000;

/**
 * @param weight of a user-supplied schema
 * @throws Error if the schema does not compile
 */
export function checkSchema(schema: object, weight?: number): void {
  if (weight !== undefined) weights.set(schema, weight);
  unlessPassed(['schema', schema], () => {
    validator.compile(schema);
    return [];
  });
}

/** @returns the violations reported by ajv, or the reason why the value was not validated */
function errorsIn(schema: object, value: unknown): readonly ErrorObject[] | string {
  const limit = Math.floor(WORK_LIMIT / (weights.get(schema) ?? 1));
  const values = countValues(value, limit);
  if (values >= limit) return `holds ${limit} values or more; expected fewer for a schema of this size`;
  try {
    return validator.errors(schema, value, values);
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
  const errors = errorsIn(schema, value);
  if (typeof errors === 'string') return [{ path: '', message: errors }];
  if (errors.length === 0) return [];
  const encrypted = encryptedPaths(value);
  return violationsOf(errors, {
    ...judged,
    unknown: encrypted.length === 0 ? judged.unknown : [...(judged.unknown ?? []), ...encrypted],
  });
}

function violationsOf(schemaErrors: readonly ErrorObject[], judged: SchemaScope): Violation[] {
  const errors = schemaErrors.filter((error) => !isExcused(error, judged));
  const blurred = schemaErrors.filter((error) => isExcused(error, judged) && !plain.has(error.keyword));
  // If a branch of an `anyOf` cannot be decided, violations inside the branch cannot be either.
  const judgeable = errors.filter(
    (error) => !blurred.some((outer) => error.schemaPath.startsWith(`${outer.schemaPath}/`)),
  );
  return judgeable.map((error) => violationOf(error, UNKNOWN_KEY));
}

/** Keywords that concern an object or list itself, not its contents. */
const plain = new Set(['type', 'required', 'additionalProperties', 'propertyNames', 'minItems', 'maxItems']);

function isExcused(error: ErrorObject, { partial = false, unknown = [] }: SchemaScope): boolean {
  const at = error.instancePath;
  if (partial && at === '' && error.keyword !== 'type' && error.keyword !== 'additionalProperties') return true;
  return unknown.some(
    (path) => at === path || at.startsWith(`${path}/`) || (path.startsWith(`${at}/`) && !plain.has(error.keyword)),
  );
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
