/**
 * Checks values against JSON Schemas, and tells what does not fit as faults with paths. Values never stand in the
 * messages: they may be secrets.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Fault } from '../define/errors.ts';
import { shown } from './refusal.ts';
import { dotted } from './templates.ts';
import type { Json } from './types.ts';

// The plugin is CommonJS: its default export arrives as the module in some loaders' types.
const addFormats = formats as unknown as (ajv: Ajv) => Ajv;

const validators = new WeakMap<object, ValidateFunction>();

const options = { allErrors: true, useDefaults: true, strict: false, logger: false, addUsedSchema: false } as const;
/** Judges the schemas themselves. What it judges them by takes longer to compile than most of them, so it is made once. */
const judge = addFormats(new Ajv(options));

/** One Ajv per schema: `$id`s of different definitions never meet. @throws Error when the schema does not compile */
export function validatorOf(schema: object): ValidateFunction {
  const kept = validators.get(schema);
  if (kept !== undefined) return kept;
  judge.validateSchema(schema, true);
  const validator = addFormats(new Ajv({ ...options, validateSchema: false })).compile(schema);
  if ('$async' in validator) throw new Error('the schema is $async; expected one that answers at once');
  validators.set(schema, validator);
  return validator;
}

/** How much of a value is there to be judged. */
export interface Judged {
  /** More top-level values come later: what is missing now is no fault. */
  partial?: boolean;
  /** JSON pointers to values that are not known yet. */
  unknown?: readonly string[];
}

/** @param value gets the schema's defaults filled in */
export function misfits(schema: object, value: unknown, judged: Judged = {}): Fault[] {
  const validator = validatorOf(schema);
  if (validator(value)) return [];
  const errors = (validator.errors ?? []).filter((error) => !excused(error, judged));
  const blurred = (validator.errors ?? []).filter((error) => excused(error, judged) && !plain.has(error.keyword));
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
  return Object.keys(patternProperties ?? {}).some((pattern) => new RegExp(pattern, 'u').test(key));
}
