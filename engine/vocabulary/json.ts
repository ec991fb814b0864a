/** JSON values of which no schema is known. */

export type JsonObject = Record<string, unknown>;

/** Whether it is an object; a list is none. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Levels of lists and objects in JSON of others: code that walks through it calls itself for each level. */
export const NESTING_LIMIT = 64;

/** Whether it has more levels; it looks no deeper. */
export const isTooDeep = (value: unknown, levels = NESTING_LIMIT): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1)));

/** Returns the value if it is an object, otherwise an empty one. */
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns the value if it is a list, otherwise an empty one. */
export const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Whether it is a list of objects only. */
export const isListOfObjects = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isObject);

/** Whether it is a whole number within the bounds. */
export const isWholeNumber = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** Returns the value under the key, also of a list; undefined for any value without keys. Own properties only. */
export const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
