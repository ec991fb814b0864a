/** Static checks of option values in a definition, before any launch: some are missing, some are templates. */
import type { Fault } from '../define/errors.ts';
import { roots } from './expression.ts';
import { misfits } from './schema.ts';
import { renderKnown } from './templates.ts';
import type { Json } from './types.ts';

/** `_taskTimeout` belongs to the engine: no task's schema has it. */
export const TIMEOUT = '_taskTimeout';

const everything = new Set(roots);

/** Returns the violations that are already certain: templates may have any value, and missing values may come later. */
export function misfitsAtRest(schema: object, values: Json): Fault[] {
  const { [TIMEOUT]: timeout, ...options } = values;
  const { value, unknown, faults } = renderKnown(options, {}, everything);
  const told = faults.map(({ path, message }) => ({ path, message }));
  return [...told, ...misfits(schema, value, { partial: true, unknown }), ...timeoutFaults(timeout)];
}

export function timeoutFaults(timeout: unknown): Fault[] {
  if (timeout === undefined || (Number.isSafeInteger(timeout) && (timeout as number) >= -1)) return [];
  return [{ path: TIMEOUT, message: 'must be a whole number of ms; 0 or -1 for none' }];
}
