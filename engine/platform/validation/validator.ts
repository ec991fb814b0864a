/**
 * Validates values against JSON Schemas. No other module sets up Ajv.
 *
 * 1. All violations are reported; in a large value only the first, because each one costs memory.
 * 2. A schema is compiled when it is first used, because compiling all of the API at startup would delay it.
 * 3. Schemas of the project follow JSON Schema 2020-12, like the OpenAPI document, and are trusted.
 * 4. User-supplied schemas follow draft 7. Each has an Ajv of its own, so that `$id`s of different definitions do not
 *    conflict, and is validated before it is compiled.
 */
import { Ajv, type CodeOptions, type ErrorObject, type Format, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import allFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import type { Violation } from '../../vocabulary/errors.ts';
import { errorsOfNearest } from './nearest-branch.ts';
import { violationOf } from './violation-of.ts';

/** Up to this many values, all violations are reported. */
const REPORT_ALL_LIMIT = 1_000;

type ReportedErrors = 'all' | 'first';

interface Setup {
  /** Called before each validation. */
  begin(): void;
  /** Returns the Ajv that compiles the schema. @throws Error if the schema is invalid */
  ajvFor(schema: object, reported: ReportedErrors): Ajv | Ajv2020;
}

const common = { strict: false, addUsedSchema: false, ownProperties: true, validateSchema: false } as const;

/** @param coerceTypes converts texts, in place, to the numbers and booleans of the schema */
function trustedSetup(coerceTypes: boolean): Setup {
  // Verbose: an error also has its schema, which the translation reads, and the value. Optimizing the code of a schema takes
  // longer than it ever saves.
  const options = { ...common, coerceTypes, meta: false, verbose: true, code: { optimize: false } };
  const opened: { [reported in ReportedErrors]?: Ajv2020 } = {};
  return {
    begin: () => {},
    ajvFor(_, reported) {
      opened[reported] ??= withFormats(new Ajv2020({ ...options, allErrors: reported === 'all' }));
      return opened[reported];
    },
  };
}

interface SuppliedSchemas {
  /** Replaces `RegExp`. */
  regExp: NonNullable<CodeOptions['regExp']>;
  formats: Readonly<Record<string, Format>>;
  /** Called before the validation of each schema and each value. */
  begin(): void;
}

function userSupplied({ regExp, formats, begin }: SuppliedSchemas): Setup {
  // Verbose: the keys of a schema are suggested for those that it does not have.
  const code = { regExp, optimize: false } as const;
  const options = { ...common, useDefaults: true, logger: false, verbose: true, code } as const;
  const open = (reported: ReportedErrors) =>
    withFormats(new Ajv({ ...options, allErrors: reported === 'all' }), formats);
  // Opened once, because compiling the meta-schema takes longer than most schemas.
  const judge = open('all');
  return {
    begin,
    ajvFor(schema, reported) {
      begin();
      // A promise only for schemas with `$async`.
      void judge.validateSchema(schema, true);
      return open(reported);
    },
  };
}

function withFormats<A extends Ajv | Ajv2020>(ajv: A, formats?: Readonly<Record<string, Format>>): A {
  if (formats === undefined) allFormats.default(ajv);
  else for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

export interface ValidatorOptions {
  /** Values are texts, such as those of a query: they are converted, in place, to the numbers and booleans of the schema. */
  texts?: true;
  /** Schemas are user-supplied; their defaults are added to the values. */
  supplied?: SuppliedSchemas;
}

export class Validator {
  readonly #setup: Setup;
  readonly #compiled: Record<ReportedErrors, WeakMap<object, ValidateFunction>> = {
    all: new WeakMap(),
    first: new WeakMap(),
  };

  constructor({ texts, supplied }: ValidatorOptions = {}) {
    this.#setup = supplied === undefined ? trustedSetup(texts === true) : userSupplied(supplied);
  }

  /** @throws Error if the schema does not compile */
  compile(schema: object, reported: ReportedErrors = 'all'): ValidateFunction {
    const cachedValidator = this.#compiled[reported].get(schema);
    if (cachedValidator !== undefined) return cachedValidator;
    const validate = this.#setup.ajvFor(schema, reported).compile(schema);
    if ('$async' in validate) throw new Error('the schema is $async; expected a synchronous schema');
    this.#compiled[reported].set(schema, validate);
    return validate;
  }

  /**
   * Returns Ajv's errors, none for a valid value; `violationOf` translates them.
   * @param values the number of values within the value, if the caller has counted them
   */
  errors(schema: object, value: unknown, values = countValues(value, REPORT_ALL_LIMIT + 1)): readonly ErrorObject[] {
    const validate = this.compile(schema, values > REPORT_ALL_LIMIT ? 'first' : 'all');
    this.#setup.begin();
    return validate(value) ? [] : (validate.errors ?? []);
  }

  /** @param unknown the message for a key that the schema does not have */
  violations(schema: object, value: unknown, unknown?: string): Violation[] {
    // The errors of the branch say more than that of the `if`.
    const errors = this.errors(schema, value).filter(({ keyword }) => keyword !== 'if');
    return errorsOfNearest(errors).map((error) => violationOf(error, unknown));
  }

  accepts<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
    const validate = this.compile(schema, 'first');
    this.#setup.begin();
    return validate(value);
  }
}

/** Validates against the project's own schemas. */
export const validator = new Validator();

/** Counts the values within a value, itself included, up to the limit. The value must not be nested too deeply. */
export function countValues(value: unknown, limit: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const key in value) {
    if (count >= limit) break;
    count += countValues(Reflect.get(value, key), limit - count);
  }
  return count;
}
