/**
 * The filters of lists. A field declares its possible values; the query schema and the store condition are derived from
 * that.
 *
 * 1. `field=a,b` matches any of the values. A text that contains a comma is also compared as a whole.
 * 2. `field=null` matches records without a value, where the field is optional.
 * 3. Times also accept `field.gte`, `.gt`, `.lte` and `.lt`; texts accept `field.prefix`.
 * 4. A value that the field cannot have is rejected; it never returns an empty list.
 */
import { type TSchema, Type } from 'typebox';

export interface ListField {
  /** `texts` is a list of texts that must contain one of the values. */
  kind: 'text' | 'texts' | 'word' | 'time' | 'number' | 'boolean';
  /** The values of a `word`. */
  words?: readonly string[];
  /** The field is optional in records. */
  nullable?: true;
  /** The stored field, if its name differs. */
  path?: string;
  /** The field can only be filtered by; by default lists can also be sorted by it. */
  sort?: false;
  /** Returns every form in which a value may be stored. */
  spellings?(value: string): (string | null)[];
}

export type ListFields = Record<string, ListField>;

type Values = (string | number | boolean | null)[];
type Query = Record<string, unknown>;

const RANGES = { gte: '$gte', gt: '$gt', lte: '$lte', lt: '$lt' } as const;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const LAST_CODE_POINT = 0x10ffff;
/** Between these two are no characters. */
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;

/** Returns a function that declares fields of one kind. */
const fieldsOf =
  (field: ListField) =>
  (...names: string[]): ListFields =>
    Object.fromEntries(names.map((name) => [name, field]));

export const texts = fieldsOf({ kind: 'text' });
export const optionalTexts = fieldsOf({ kind: 'text', nullable: true });
export const times = fieldsOf({ kind: 'time' });
export const optionalTimes = fieldsOf({ kind: 'time', nullable: true });
export const word = (words: readonly string[], path?: string): ListField =>
  path === undefined ? { kind: 'word', words } : { kind: 'word', words, path };

/** Returns the query parameters for the filters of a list. */
export function filterParameters(fields: ListFields): Record<string, TSchema> {
  const parameters: Record<string, TSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    parameters[name] = Type.Optional(Type.Array(valueSchema(field), { minItems: 1, maxItems: 1_000 }));
    if (field.kind === 'time') {
      for (const range of Object.keys(RANGES)) parameters[`${name}.${range}`] = Type.Optional(timeSchema);
    }
    if (field.kind === 'text') parameters[`${name}.prefix`] = Type.Optional(Type.String({ minLength: 1 }));
  }
  return parameters;
}

const timeSchema = Type.String({ format: 'date-time' });

function valueSchema({ kind, words = [], nullable }: ListField): TSchema {
  const type = (name: string) => ({ type: nullable ? [name, 'null'] : name });
  if (kind === 'word') return Type.Unsafe({ ...type('string'), enum: nullable ? [...words, null] : [...words] });
  if (kind === 'time') return Type.Unsafe({ ...type('string'), format: 'date-time' });
  return Type.Unsafe(type(kind === 'number' || kind === 'boolean' ? kind : 'string'));
}

/** Splits the filters of a query into the lists that `filterParameters` describes. */
export function splitFilters(query: Query, fields: ListFields): Query {
  const split = ([key, value]: [string, unknown]): [string, unknown] => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    // A repeated parameter is a list already; nested in another list it fails validation.
    if (field !== undefined) return [key, typeof value === 'string' ? valuesIn(value, field) : [value]];
    const [name = '', range = ''] = key.split(/\.(?=\w+$)/);
    const isRange = Object.hasOwn(RANGES, range) && Object.hasOwn(fields, name);
    return [key, isRange && typeof value === 'string' ? withTimeOfDay(value) : value];
  };
  return Object.fromEntries(Object.entries(query).map(split));
}

function valuesIn(text: string, { kind, nullable }: ListField): unknown[] {
  const parts = text.split(',').map((part) => {
    if (part === 'null' && nullable) return null;
    return kind === 'time' ? withTimeOfDay(part) : part;
  });
  const isText = kind === 'text' || kind === 'texts';
  return isText && parts.length > 1 ? [text, ...parts] : parts;
}

/** Completes a date to its first moment. */
const withTimeOfDay = (text: string): string => (DATE.test(text) ? `${text}T00:00:00Z` : text);

/** @param query split and validated @returns the condition for the store */
export function filterOf(query: Query, fields: ListFields): Record<string, unknown> {
  const conditions = Object.entries(fields).flatMap(([name, field]) =>
    conditionsOn(query, name, field).map((condition) => ({ [field.path ?? name]: condition })),
  );
  const [only = {}] = conditions;
  return conditions.length > 1 ? { $and: conditions } : only;
}

function conditionsOn(query: Query, name: string, field: ListField): unknown[] {
  const conditions: unknown[] = [];
  const given = query[name] as Values | undefined;
  if (given !== undefined) conditions.push(anyOf(given, field));
  if (field.kind === 'time') {
    for (const [range, operator] of Object.entries(RANGES)) {
      const value = query[`${name}.${range}`];
      if (value !== undefined) conditions.push({ [operator]: storedTime(value as string) });
    }
  }
  const prefix = query[`${name}.prefix`];
  if (field.kind === 'text' && prefix !== undefined) conditions.push(...startsWith(prefix as string));
  return conditions;
}

function anyOf(given: Values, { kind, spellings = (value) => [value] }: ListField): unknown {
  const values = given.flatMap((value): Values => {
    if (typeof value !== 'string') return [value];
    return kind === 'time' ? [storedTime(value)] : spellings(value);
  });
  return values.length === 1 && values[0] !== null ? values[0] : { $in: values };
}

/** Stores keep all times in one format, which sorts chronologically. */
const storedTime = (time: string): string => new Date(time).toISOString();

/** Two range conditions, for which a store uses its index; a regular expression would scan every record. */
function startsWith(prefix: string): unknown[] {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  // Nothing that begins with the rest comes after the last code point.
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return [{ $gte: prefix }];
  const next = last === LAST_BEFORE_SURROGATES ? FIRST_AFTER_SURROGATES : last + 1;
  return [{ $gte: prefix }, { $lt: String.fromCodePoint(...points, next) }];
}
