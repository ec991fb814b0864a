/** Static checks of option values in a definition, before any launch: some are missing, some are templates. */
import type { Violation } from '../../vocabulary/errors.ts';
import { isWholeNumber, type JsonObject } from '../../vocabulary/json.ts';
import { roots } from './expression.ts';
import { unlessPassed } from './passed-checks.ts';
import { schemaViolations } from './schema.ts';
import { renderKnown } from './templates.ts';

/** `_taskTimeout` belongs to the engine: no task's schema has it. */
export const TIMEOUT = '_taskTimeout';

const everything = new Set(roots);

/** Returns the violations that are already certain: templates may have any value, and missing values may come later. */
export const staticViolations = (schema: object, values: JsonObject): Violation[] =>
  unlessPassed(['values', schema, values], () => violationsOf(schema, values));

function violationsOf(schema: object, values: JsonObject): Violation[] {
  const { [TIMEOUT]: timeout, ...options } = values;
  const { value, unknown, violations } = renderKnown(options, {}, everything);
  const reported = violations.map(({ path, message }) => ({ path, message }));
  return [...reported, ...schemaViolations(schema, value, { partial: true, unknown }), ...timeoutViolations(timeout)];
}

export function timeoutViolations(timeout: unknown): Violation[] {
  if (timeout === undefined || isWholeNumber(timeout, -1)) return [];
  return [{ path: TIMEOUT, message: 'must be a whole number of ms; 0 or -1 for none' }];
}
