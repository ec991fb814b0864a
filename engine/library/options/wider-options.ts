/** Options beyond those of a task's schema: those that a definition declares itself, and those that only templates read. */
import { isObject, type JsonObject } from '../../vocabulary/json.ts';
import type { Task } from '../types.ts';
import { knows, schemaViolations } from './schema.ts';
import { TIMEOUT } from './static-checks.ts';
import { optionNames } from './templates.ts';

/** Returns the schema with further options of any type. @param names `all`: options of any name */
export function openedSchema(schema: object, names: readonly string[] | 'all'): object {
  const further = names === 'all' ? names : names.filter((name) => name !== TIMEOUT && !knows(schema, name));
  if (further.length === 0) return schema;
  const { allOf, properties, additionalProperties } = schema as JsonObject;
  if (Array.isArray(allOf)) return { ...schema, allOf: allOf.map((part: object) => openedSchema(part, names)) };
  if (additionalProperties !== false) return schema;
  if (further === 'all') return { ...schema, additionalProperties: true };
  const any = Object.fromEntries(further.map((name) => [name, {}]));
  return { ...schema, properties: { ...any, ...(isObject(properties) ? properties : {}) } };
}

/**
 * Returns the task with the options that only its templates read, such as `flag` of `{ when: '{{ options.flag }}' }`.
 * @param layers its options, of all sources
 */
export function withNamedOptions(task: Task, layers: readonly JsonObject[]): Task {
  const schema = openedSchema(task.schema, [...optionNames([task.defaults, ...layers])]);
  return schema === task.schema ? task : { ...task, schema };
}

/** Leaves out what is null, or has only nulls, and may not be: RackHD names an option that way before a launch gives its value. */
export const withoutNulls = (schema: object, options: JsonObject): JsonObject =>
  without(options, unsetOptions(schema, options));

/** The same for options of several tasks. */
export function withoutAnyNulls(tasks: readonly Pick<Task, 'schema'>[], options: JsonObject): JsonObject {
  if (!Object.values(options).some(isUnset)) return options;
  return without(
    options,
    tasks.flatMap(({ schema }) => unsetOptions(schema, options).filter((key) => key === TIMEOUT || knows(schema, key))),
  );
}

const without = (options: JsonObject, keys: readonly string[]): JsonObject =>
  keys.length === 0 ? options : Object.fromEntries(Object.entries(options).filter(([key]) => !keys.includes(key)));

const unsetOptions = (schema: object, options: JsonObject): string[] =>
  Object.keys(options).filter(
    (key) =>
      isUnset(options[key]) &&
      (key === TIMEOUT || schemaViolations(schema, { [key]: options[key] }, { partial: true }).length > 0),
  );

/** Such as null, or `{ username: null, password: null }`. */
function isUnset(value: unknown): boolean {
  if (!isObject(value)) return value === null;
  const values = Object.values(value);
  return values.length > 0 && values.every((one) => one === null);
}
