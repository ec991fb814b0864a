/**
 * A collection's columns: the SQLite form of its indexed and scanned fields, and a document's values for them.
 *
 * 1. Such a field has the type of its index, or is null or absent. Other values are rejected before the write: an
 *    index that silently omitted a document would be worse.
 * 2. For a collection whose documents are written whole, only the version, these fields and the fields of its list
 *    can be used in filters, sorts and updates, in every store.
 */
import { NodewrightError } from '../../vocabulary/errors.ts';
import { property } from '../../vocabulary/json.ts';
import type { CollectionSpec, Document, Filter, IndexKind, Update } from './port.ts';

/** A value as SQLite stores it. */
export type Param = string | number | null;

export interface Column {
  path: string;
  /** The parts of the path. */
  keys: readonly string[];
  kind: IndexKind;
  /** Quoted. It includes the kind, so that an index whose kind changes gets a new column. */
  name: string;
  type: string;
  unique: boolean;
  /** Name of the index that has it, quoted; of a list of texts: a table with a row for each of its values. */
  index: string;
  /** Whether that index has the documents in the order of the field, and those of one value in the order of their ids. */
  isOrdered: boolean;
  isScanned: boolean;
}

export interface Table {
  collection: string;
  /** Quoted. */
  name: string;
  columns: readonly Column[];
  column(path: string): Column | undefined;
  /** Names, not quoted, of the indexes by a field and then by `createdAt`, newest first. */
  newest: ReadonlyMap<string, string>;
  /** Name, not quoted, of the index of `createdAt` with the scanned fields; undefined: there are none. */
  scan: string | undefined;
  /** Fields stored beside the text of a document that is written whole; undefined: any field may be used. */
  beside: ReadonlySet<string> | undefined;
  /** The field that reads leave out. */
  apart: string | undefined;
}

const types: Record<IndexKind, string> = { text: 'TEXT', number: 'REAL', boolean: 'INTEGER', texts: 'TEXT' };

/** Every store has the same limit; an entry of an index in MongoDB's protocol holds little more. */
const MAX_TEXT_BYTES = 2_000;

/** libsql cuts a text at NUL, and UTF-8 cannot contain a lone surrogate. */
const UNSTORABLE = /\0|\p{Surrogate}/u;
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export function tableOf(spec: CollectionSpec): Table {
  if (!/^[a-z]+$/.test(spec.name)) {
    throw new Error(`collection "${spec.name}": expected lower case letters only`);
  }
  const unique = spec.unique ?? [];
  const scanned = spec.scanned ?? {};
  const indexes = new Map<string, IndexKind>(Object.entries({ ...spec.indexes, ...scanned }));
  for (const path of unique) {
    const kind = indexes.get(path) ?? 'text';
    if (kind !== 'text') throw new Error(`${spec.name}: unique ${path} is indexed as ${kind}, expected text`);
    indexes.set(path, kind);
  }
  const newest = newestOf(spec);
  const scan = scanOf(spec);
  const columns = [...indexes].map(([path, kind]) => {
    const isScanned = Object.hasOwn(scanned, path);
    const shared = isScanned || path === 'createdAt' ? scan : newest.get(path);
    return {
      path,
      keys: path.split('.'),
      kind,
      name: quote(`${kind}:${path}`),
      type: types[kind],
      unique: unique.includes(path),
      index: quote(shared ?? `${spec.name}:${kind}:${path}`),
      isOrdered: !isScanned && !newest.has(path),
      isScanned,
    };
  });
  const byPath = new Map(columns.map((column) => [column.path, column]));
  return {
    collection: spec.name,
    name: quote(spec.name),
    columns,
    column: (path) => byPath.get(path),
    newest,
    scan,
    beside: spec.whole && besideOf(spec, [...byPath.keys(), ...spec.whole]),
    apart: spec.apart,
  };
}

function newestOf(spec: CollectionSpec): Map<string, string> {
  const { name, newest = [] } = spec;
  for (const path of newest.flatMap((one) => [one, 'createdAt'])) checkOrdering(spec, path);
  return new Map(newest.map((path) => [path, `${name}:newest:${path}`]));
}

/** The name has the fields, so that an index whose fields change gets a new one. */
function scanOf(spec: CollectionSpec): string | undefined {
  const paths = Object.keys(spec.scanned ?? {});
  if (paths.length === 0) return undefined;
  checkOrdering(spec, 'createdAt');
  return `${spec.name}:scan:${paths.join(',')}`;
}

function checkOrdering({ name, indexes }: CollectionSpec, path: string): void {
  if (indexes[path] !== 'text')
    throw new Error(`${name}: ${path} orders the newest, expected a field that is indexed as text`);
}

function besideOf({ name }: CollectionSpec, paths: readonly string[]): ReadonlySet<string> {
  const inner = paths.find((path) => path.includes('.'));
  if (inner !== undefined) throw new Error(`${name} is written whole: ${inner} is inside, expected fields at the top`);
  return new Set(['id', 'version', ...paths]);
}

/** Returns the document without the field that reads leave out. */
export function withoutApart<T extends Document>({ apart }: Pick<Table, 'apart'>, document: T): T {
  if (apart === undefined || !Object.hasOwn(document, apart)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => key !== apart)) as unknown as T;
}

/** Rejects a filter or sort on a field that one of the stores could not see: a programming error, detected in each. */
export function checkNamed({ collection, beside }: Pick<Table, 'collection' | 'beside'>, names: Filter): void {
  if (beside === undefined) return;
  for (const [key, value] of Object.entries(names)) {
    if (key === '$and' || key === '$or')
      for (const inner of value as Filter[]) checkNamed({ collection, beside }, inner);
    else if (!beside.has(key))
      throw new Error(`${collection}: ${key} is named, expected one of ${[...beside].join(', ')}`);
  }
}

/** Returns the column of an indexed field. @throws Error for any other field, which is a programming error */
export function indexedColumn({ collection, column }: Pick<Table, 'collection' | 'column'>, path: string): Column {
  const found = column(path);
  if (found === undefined) throw new Error(`${collection}: ${path} is picked, expected a field with an index`);
  return found;
}

/** Returns the name of the index by the field and `createdAt`. @throws Error without one, which is a programming error */
export function newestBy({ collection, newest }: Pick<Table, 'collection' | 'newest'>, path: string): string {
  const found = newest.get(path);
  if (found === undefined)
    throw new Error(`${collection}: the newest by ${path} are read, expected one of its \`newest\``);
  return found;
}

/** Rejects an update of a document that is written whole, unless it changes only what is beside its text. */
export function checkParts({ collection, beside }: Table, update: Update): void {
  if (beside === undefined) return;
  for (const [operator, fields] of Object.entries(update)) {
    const paths = Object.keys(fields);
    if (['$set', '$inc'].includes(operator) && paths.every((path) => beside.has(path))) continue;
    const expected = `$set or $inc of ${[...beside].join(', ')}`;
    throw new Error(`${collection} is written whole: found ${operator} of ${paths.join(', ')}, expected ${expected}`);
  }
}

/** Returns the value at a path; a list on the way yields the values of its elements. */
function valueAt(value: unknown, path: readonly string[], from = 0): unknown {
  const key = path[from];
  if (key === undefined) return value;
  if (Array.isArray(value) && !/^\d+$/.test(key)) {
    return value.map((element) => valueAt(element, path, from)).filter((found) => found !== undefined);
  }
  return valueAt(property(value, key), path, from + 1);
}

/** @throws NodewrightError INVALID when the document has a value that its index cannot hold */
export function columnValue(table: Table, column: Column, document: Document): unknown {
  const { kind } = column;
  const value = valueAt(document, column.keys) ?? null;
  if (value === null) return null;
  const problem = kind === 'texts' ? listProblem(value) : problemOf(kind, value);
  if (problem === undefined) return value;
  const violation = { path: column.path, message: `is ${problem}, expected ${kind}` };
  const message = `${table.collection} ${document.id}: ${column.path} is ${problem}, expected ${kind} or nothing`;
  throw new NodewrightError('INVALID', message, { violations: [violation] });
}

const listProblem = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map((element) => problemOf('text', element)).find(Boolean) : typeof value;

/** Returns the value as SQLite stores it. libsql ends the process on a boolean. */
export function toParam(value: unknown): Param {
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  // As in JSON text, the only other numbers are null.
  return typeof value === 'string' || Number.isFinite(value) ? (value as Param) : null;
}

/** Returns what `toParam` was given. */
export function fromParam(kind: IndexKind, value: Param): unknown {
  if (value === null) return null;
  if (kind === 'texts') return JSON.parse(value as string);
  return kind === 'boolean' ? value === 1 : value;
}

/** Says what is found instead of the kind; undefined: the value is of it. */
function problemOf(kind: Exclude<IndexKind, 'texts'>, value: unknown): string | undefined {
  const type = kind === 'text' ? 'string' : kind;
  if (typeof value !== type) return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  if (typeof value !== 'string') return undefined;
  if (!isStorable(value)) return 'a text with NUL or a lone surrogate';
  return isTooLong(value) ? `longer than ${MAX_TEXT_BYTES} bytes` : undefined;
}

/** Whether an index of texts can hold the value. */
export const isIndexable = (value: unknown): boolean => problemOf('text', value) === undefined;

/** A character has three bytes at most for each of its code units. */
const isTooLong = (text: string): boolean =>
  text.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(text) > MAX_TEXT_BYTES;
