/**
 * Translates filters to SQL. The top level of a filter is an AND; each condition on an indexed field
 * becomes SQL if SQLite evaluates it exactly as MongoDB's language does. mingo tests the remaining
 * conditions on the documents that SQLite finds.
 *
 * 1. A condition becomes SQL only if it has the same result for every document; when in doubt it does not.
 * 2. Values are parameters and lists are parameters with JSON text: the statement depends on fields and operators only,
 *    so that there are few distinct statements.
 * 3. null and absent are both NULL. `$ne` and `$nin` match them, comparisons do not.
 * 4. Most documents lack a field that some lack. Where another condition can find the matches, null finds none: SQLite would take
 *    it for as rare as any value.
 */
import { type Column, checkNamed, isStorable, type Param, quote, type Table, toParam } from './columns.ts';
import type { Filter } from './port.ts';

export interface Selection {
  /** A condition for WHERE; `TRUE` if no condition became SQL. */
  where: string;
  /** The same, but SQLite does not use the order of ids to find the matches. */
  unordered: string;
  params: Param[];
  /** Whether no condition is left for mingo. */
  exact: boolean;
  /** Whether a condition requires ids, or one value of a column, whose index has the matches in the order of their ids. */
  hasValue: boolean;
  /** Whether it is the scanned fields that find the matches. */
  isScanned: boolean;
  /** The fields of which conditions list the values. */
  valued: ReadonlySet<string>;
}

type Add = (value: Param) => string;

type ComparedColumn = Pick<Column, 'path' | 'kind' | 'name' | 'index' | 'isOrdered' | 'isScanned'>;

/** SQLite names the index of a primary key. */
const idOf = ({ collection }: Table): ComparedColumn => ({
  path: 'id',
  kind: 'text',
  name: 'id',
  index: quote(`sqlite_autoindex_${collection}_1`),
  isOrdered: true,
  isScanned: false,
});

const comparisons: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

/** A condition, and what SQLite can do with it. */
interface Part {
  path: string;
  /** undefined: mingo tests it. */
  sql: string | undefined;
  /** It names values of its field. */
  isListed: boolean;
  isNull: boolean;
  isIdRange: boolean;
  /** It requires ids, or one value of a column, whose index has the matches in the order of their ids. */
  hasValue: boolean;
  isScanned: boolean;
  /** It leaves few documents. */
  isNarrow: boolean;
  /** An index finds its matches. */
  isFound: boolean;
}

export function select(table: Table, filter: Filter): Selection {
  checkNamed(table, filter);
  const params: Param[] = [];
  const add: Add = (value) => {
    params.push(value);
    return '?';
  };
  const parts = [...conditions(filter)].map(([path, condition]) => partOf(table, path, condition, add));
  const isAnyFound = parts.some(({ isFound }) => isFound);
  const isUnused = ({ isNull }: Part) => isNull && isAnyFound;
  return {
    where: allOf(parts, isUnused),
    unordered: allOf(parts, (part) => part.isIdRange || isUnused(part)),
    params,
    exact: parts.every(({ sql }) => sql !== undefined),
    hasValue: parts.some((part) => part.hasValue && !isUnused(part)),
    isScanned: parts.some(({ isScanned }) => isScanned) && !parts.some(({ isNarrow }) => isNarrow),
    valued: new Set(parts.flatMap(({ path, isListed }) => (isListed ? [path] : []))),
  };
}

function partOf(table: Table, path: string, condition: unknown, add: Add): Part {
  const column = path === 'id' ? idOf(table) : table.column(path);
  const sql = column && translate(column, condition, add);
  const isRange = Object.keys(comparisons).some((sign) => hasOperator(condition, sign));
  const isListed = !isOperators(condition) || hasOperator(condition, '$in');
  const values = isOperators(condition) ? (condition.$in ?? [condition.$eq]) : [condition];
  const isNull = Array.isArray(values) && values.length > 0 && values.every((value) => value === null);
  const isOrdered = column?.isOrdered === true && column.kind !== 'texts';
  const isOne = !isOperators(condition) || hasOperator(condition, path === 'id' ? '$in' : '$eq');
  const isScanned = column?.isScanned === true;
  return {
    path,
    sql,
    isListed,
    isNull,
    isIdRange: sql !== undefined && isRange && path === 'id',
    hasValue: sql !== undefined && isOne && isOrdered,
    isScanned,
    isNarrow: !isScanned && !isNull && (isListed || (isRange && isNarrowRange(path))),
    isFound: sql !== undefined && !isNull && (isListed || isRange || isOne),
  };
}

/** SQLite uses no index for an expression with a plus sign. */
function allOf(parts: readonly Part[], isWithoutIndex: (part: Part) => boolean): string {
  const texts = parts.flatMap((part) =>
    part.sql === undefined ? [] : [isWithoutIndex(part) ? `+${part.sql}` : part.sql],
  );
  return texts.length > 0 ? texts.join(' AND ') : 'TRUE';
}

const hasOperator = (condition: unknown, operator: string): boolean =>
  isOperators(condition) && Object.hasOwn(condition, operator);

/** Yields one operator at a time; a top-level `$and` is flattened. */
function* conditions(filter: Filter): Generator<[path: string, condition: unknown]> {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(value)) for (const inner of value) yield* conditions(inner as Filter);
    else if (isOperators(value))
      for (const [operator, operand] of Object.entries(value)) yield [key, { [operator]: operand }];
    else yield [key, value];
  }
}

function isOperators(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof RegExp) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.startsWith('$'));
}

/** @returns undefined when mingo has to test the condition */
function translate(column: ComparedColumn, condition: unknown, add: Add): string | undefined {
  const [operator, operand] = isOperators(condition) ? (Object.entries(condition)[0] ?? []) : ['$eq', condition];
  switch (operator) {
    case '$eq':
      return anyOf(column, [operand], add);
    case '$in':
      return Array.isArray(operand) ? anyOf(column, operand, add) : undefined;
    case '$ne':
      return not(anyOf(column, [operand], add));
    case '$nin':
      return Array.isArray(operand) ? not(anyOf(column, operand, add)) : undefined;
    default: {
      const sign = comparisons[operator ?? ''];
      return sign && compare(column, sign, operand, add);
    }
  }
}

/** The SQL is never NULL itself, so `NOT` negates it. */
const not = (sql: string | undefined) => sql && `NOT ${sql}`;

function anyOf(column: ComparedColumn, values: readonly unknown[], add: Add): string | undefined {
  if (!values.every(isScalar)) return undefined;
  const { kind, name } = column;
  const type = kind === 'texts' ? 'string' : kind === 'text' ? 'string' : kind;
  // No document contains a value of another type.
  const fitting = values.filter((value) => typeof value === type).map(toParam);
  if (fitting.length === 0) return values.includes(null) ? `${name} IS NULL` : 'FALSE';
  const sql = has(column, fitting, add);
  return values.includes(null) ? `(${name} IS NULL OR ${sql})` : `(${name} IS NOT NULL AND ${sql})`;
}

function has({ kind, name, index }: ComparedColumn, values: readonly Param[], add: Add): string {
  const [first = null] = values;
  const matches =
    values.length === 1 ? `= ${add(first)}` : `IN (SELECT value FROM json_each(${add(JSON.stringify(values))}))`;
  return kind === 'texts' ? `id IN (SELECT id FROM ${index} WHERE value ${matches})` : `${name} ${matches}`;
}

/** Values with the same meaning in both languages; mingo tests texts that SQLite cannot store. */
const isScalar = (value: unknown): value is string | number | boolean | null => {
  if (typeof value === 'string') return isStorable(value);
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
};

/** A range of ids or of times of creation may leave most documents. */
const isNarrowRange = (path: string): boolean => path !== 'id' && path !== 'createdAt';

function compare({ path, kind, name }: ComparedColumn, sign: string, operand: unknown, add: Add): string | undefined {
  const isText = kind === 'text' && typeof operand === 'string';
  const isNumber = kind === 'number' && typeof operand === 'number';
  if ((!isText && !isNumber) || !isScalar(operand)) return undefined;
  const comparison = `${name} ${sign} ${add(toParam(operand))}`;
  // Otherwise SQLite prefers to read the table from end to end.
  return `(${name} IS NOT NULL AND ${isNarrowRange(path) ? `unlikely(${comparison})` : comparison})`;
}

/** How matches are sorted. */
export interface Order {
  /** The list for ORDER BY; ties are broken by id. */
  by: string;
  /** The first of the fields. */
  path: string;
  /** The index of its column. */
  index: string;
  /** Whether that index has this order. */
  isOrdered: boolean;
}

/** @returns undefined when a field is not indexed */
export function order(table: Table, sort: Readonly<Record<string, 1 | -1>>): Order | undefined {
  checkNamed(table, sort);
  const parts: string[] = [];
  for (const [path, direction] of Object.entries(sort)) {
    const column = path === 'id' ? idOf(table) : table.column(path);
    if (column === undefined || column.kind === 'texts') return undefined;
    // null sorts before all other values, as in MongoDB's language.
    parts.push(`${column.name} ${direction === 1 ? 'ASC' : 'DESC'}`);
  }
  const [path = 'id'] = Object.keys(sort);
  const { index, isOrdered } = table.column(path) ?? idOf(table);
  return { by: [...parts, ...('id' in sort ? [] : ['id'])].join(', '), path, index, isOrdered };
}
