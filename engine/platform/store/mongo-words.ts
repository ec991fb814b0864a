/**
 * Translates the port's language to MongoDB's: documents, filters, sorts and updates, and documents back.
 *
 * 1. A document's `id` is MongoDB's `_id`. Only at the top level: a nested `id` is an ordinary field.
 * 2. The data that JSON preserves is stored, and no other: `undefined` is omitted, a non-finite number becomes null. A
 *    lone surrogate becomes U+FFFD, because BSON is UTF-8.
 * 3. Keys are unrestricted: dots, NUL and a leading dollar, which MongoDB interprets, are escaped with `%`.
 * 4. null in a unique field is stored as absent, and returned as absent: a sparse index exempts absent fields only, and
 *    partial indexes are not available on every server that speaks this protocol.
 * 5. Documents written whole are stored as JSON text, with the fields for filters and sorts beside it.
 * 6. Operators that the port does not list are rejected. A filter may come from outside, and `$where` runs code.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { Filter, Update } from './port.ts';

export type Fields = Record<string, unknown>;

const SPECIAL = /[%.\0]|^\$/g;
const ESCAPED = /%([0-9A-F]{2})/g;
/** Represents an empty key, which would be an empty segment of a path. A lone percent sign is not an escape. */
const EMPTY = '%';

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

const keyIn = (key: string): string => (key === '' ? EMPTY : key.replace(SPECIAL, escapeCharacter));

const keyOut = (key: string): string => {
  if (!key.includes('%')) return key;
  return key === EMPTY ? '' : key.replace(ESCAPED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
};

const topKeyIn = (key: string): string => (key === 'id' ? '_id' : key === '_id' ? '%5Fid' : keyIn(key));

const innerPath = (path: string): string => path.split('.').map(keyIn).join('.');

/** Translates a dotted path from the top of a document. */
export function pathIn(path: string): string {
  const [first = '', ...rest] = path.split('.');
  return [topKeyIn(first), ...rest.map(keyIn)].join('.');
}

function valueIn(value: unknown): unknown {
  // Adding 0 converts -0 to 0, as JSON does.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => valueIn(element) ?? null);
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? valueIn(toJSON.call(value)) : fieldsIn(value, keyIn);
}

/** Built from entries, so that `__proto__` is an ordinary key. */
const fieldsIn = (fields: object, key: (key: string) => string): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [key(name), valueIn(value)]),
  );

function valueOut(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(valueOut);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [keyOut(key), valueOut(inner)]));
}

/** @param unique paths where null is omitted */
export function documentIn(document: object, unique: readonly string[]): Fields & { _id: string } {
  const fields = fieldsIn(document, topKeyIn);
  for (const path of unique) dropNull(fields, pathIn(path).split('.'));
  return fields as Fields & { _id: string };
}

export const documentOut = <T>(fields: Fields): T =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key === '_id' ? 'id' : keyOut(key), valueOut(value)]),
  ) as T;

/** No field has this name, because percent signs in keys are escaped. */
const JSON_FIELD = '%json';

/**
 * Stores a document that is written whole as text: a third of the work for the server and the driver.
 * @param apart a field of the document that is stored as a text of its own
 */
export function wholeIn(document: object, beside: ReadonlySet<string>, apart?: string): Fields & { _id: string } {
  const named = Object.fromEntries(Object.entries(document).filter(([key]) => beside.has(key)));
  const stored = documentIn(named, []);
  const text = apart === undefined ? undefined : (document as Fields)[apart];
  if (apart === undefined || text === undefined) return { ...stored, [JSON_FIELD]: JSON.stringify(document) };
  const { [apart]: _, ...others } = document as Fields;
  return { ...stored, [JSON_FIELD]: JSON.stringify(others), [keyIn(apart)]: text };
}

/** The fields beside the text may have been updated since it was written. */
export function wholeOut<T>({ _id, [JSON_FIELD]: text, ...beside }: Fields): T {
  const document = JSON.parse(text as string) as Fields;
  for (const [key, value] of Object.entries(beside)) document[keyOut(key)] = valueOut(value);
  return document as T;
}

function dropNull(value: unknown, [key, ...rest]: readonly string[]): void {
  if (key === undefined || typeof value !== 'object' || value === null) return;
  const fields = value as Fields;
  if (rest.length > 0) dropNull(fields[key], rest);
  else if (fields[key] === null) delete fields[key];
}

export const sortIn = (sort: Readonly<Record<string, 1 | -1>>): Record<string, 1 | -1> => ({
  ...Object.fromEntries(Object.entries(sort).map(([path, way]) => [pathIn(path), way])),
  ...('id' in sort ? {} : { _id: 1 }),
});

const reject = (found: string, expected: string): never => {
  throw new NodewrightError('INVALID', `found ${found}, expected ${expected}`);
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp);

const isOperators = (value: unknown): value is Fields =>
  isFields(value) && Object.keys(value).some((key) => key.startsWith('$'));

/** @param path translates the names of fields; within `$elemMatch` there is no id */
export function filterIn(filter: Filter, path: (path: string) => string = pathIn): Fields {
  return Object.fromEntries(
    Object.entries(filter).map(([key, wanted]) => {
      if (!key.startsWith('$')) return [path(key), conditionIn(wanted)];
      if (!['$and', '$or'].includes(key) || !Array.isArray(wanted)) reject(key, '$and, $or with a list');
      return [key, (wanted as Filter[]).map((inner) => filterIn(inner, path))];
    }),
  );
}

const scalarOf = (operand: unknown): unknown => (operand instanceof RegExp ? operand : (valueIn(operand) ?? null));
const asIs = (operand: unknown): unknown => operand;
const each = (operand: unknown): unknown =>
  Array.isArray(operand) ? operand.map(scalarOf) : reject('no list', 'a list');

const operands: Record<string, (operand: unknown) => unknown> = {
  $eq: scalarOf,
  $ne: scalarOf,
  $gt: scalarOf,
  $gte: scalarOf,
  $lt: scalarOf,
  $lte: scalarOf,
  $in: each,
  $nin: each,
  $exists: asIs,
  $regex: asIs,
  $options: asIs,
  $not: (operand) => conditionIn(operand),
  $elemMatch: (operand) => (isOperators(operand) ? conditionIn(operand) : filterIn(operand as Filter, innerPath)),
};

/** Translates a value or operators. `undefined` becomes null: as an absent condition it would match everything. */
function conditionIn(wanted: unknown): unknown {
  if (!isOperators(wanted)) return scalarOf(wanted);
  return Object.fromEntries(
    Object.entries(wanted).map(([operator, operand]) => {
      const known = Object.hasOwn(operands, operator) ? operands[operator] : undefined;
      return [operator, (known ?? (() => reject(operator, Object.keys(operands).join(', '))))(operand)];
    }),
  );
}

const pushedValues = (operand: unknown): unknown =>
  isFields(operand) && Array.isArray(operand.$each) ? { $each: operand.$each.map(valueIn) } : valueIn(operand);

const changes: Record<keyof Update, (operand: unknown) => unknown> = {
  $set: valueIn,
  $unset: () => '',
  $push: pushedValues,
  $addToSet: pushedValues,
  $pull: (operand) => (isOperators(operand) ? conditionIn(operand) : valueIn(operand)),
  $inc: asIs,
};

/** @returns undefined when the update is empty */
export function updateIn(update: Update, unique: readonly string[]): Record<string, Fields> | undefined {
  const words: Record<string, Fields> = {};
  for (const [operator, fields] of Object.entries(update)) {
    const change = Object.hasOwn(changes, operator) ? changes[operator as keyof Update] : undefined;
    if (change === undefined) reject(operator, Object.keys(changes).join(', '));
    for (const [path, operand] of Object.entries(fields)) {
      if (/^id(\.|$)/.test(path)) throw new NodewrightError('INVALID', 'an update may not change the id');
      const value = change?.(operand);
      const gone = operator === '$set' && (operand === undefined || (operand === null && unique.includes(path)));
      for (const inner of unique)
        if (inner.startsWith(`${path}.`)) dropNull(value, inner.slice(path.length + 1).split('.'));
      const word = gone ? '$unset' : operator;
      words[word] = { ...words[word], [pathIn(path)]: gone ? '' : value };
    }
  }
  return Object.keys(words).length > 0 ? words : undefined;
}
