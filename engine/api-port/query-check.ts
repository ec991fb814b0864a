/** Validates a query against its schema. */
import type { Static, TSchema } from 'typebox';
import { Validator } from '../platform/validation/validator.ts';
import { type Violation, violationError } from '../vocabulary/errors.ts';
import { objectIn, property } from '../vocabulary/json.ts';

/** @throws NodewrightError INVALID */
export type Check<S extends TSchema = TSchema> = (value: unknown) => asserts value is Static<S>;

const texts = new Validator({ texts: true });

/** The check also converts texts, in place, to the numbers and booleans of the schema. */
export function queryCheck<S extends TSchema>(schema: S): Check<S> {
  return (value) => {
    const violations = texts.violations(schema, value).map(wholeParameter);
    if (violations.length === 0) return;
    const repeated = [...new Set(violations.map(({ path }) => path))].flatMap((path) =>
      repetition(schema, value, path),
    );
    // The other violations of a repeated parameter concern the list that it became, which the client did not send.
    const others = violations.filter(({ path }) => !repeated.some((one) => one.path === path));
    throw violationError([...repeated, ...others], { about: 'Invalid query:' });
  };
}

/** Reports a parameter by its name, without the index of a value in it. */
const wholeParameter = ({ path, message }: Violation): Violation => ({ path: path.replace(/(\.\d+)+$/, ''), message });

function repetition(schema: TSchema, value: unknown, path: string): Violation[] {
  const given = property(value, path);
  if (!Array.isArray(given)) return [];
  const takesSeveral = property(objectIn(property(schema, 'properties'))[path], 'type') === 'array';
  if (!takesSeveral) return [{ path, message: 'is repeated; give it once' }];
  const isRepeated = given.some(Array.isArray);
  return isRepeated ? [{ path, message: 'is repeated; give it once, with its values separated by commas' }] : [];
}
