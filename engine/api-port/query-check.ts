/** Validates a query against its schema. */
import type { Static, TSchema } from 'typebox';
import { Validator } from '../platform/validation/validator.ts';
import { type Violation, violationError } from '../vocabulary/errors.ts';

/** @throws NodewrightError INVALID */
export type Check<S extends TSchema = TSchema> = (value: unknown) => asserts value is Static<S>;

const texts = new Validator({ texts: true });

/** The check also converts texts, in place, to the numbers and booleans of the schema. */
export function queryCheck<S extends TSchema>(schema: S): Check<S> {
  return (value) => {
    const violations = texts.violations(schema, value).map(wholeParameter);
    if (violations.length > 0) throw violationError(violations, { about: 'Invalid query:' });
  };
}

/** Reports a parameter by its name, without the index of a value in it. */
const wholeParameter = ({ path, message }: Violation): Violation => ({ path: path.replace(/\.\d+$/, ''), message });
