/**
 * Translates filters to SQL. The top level of a filter is an AND; each condition on an indexed field
 * becomes SQL if SQLite evaluates it exactly as MongoDB's language does. mingo tests the remaining
 * conditions on the documents that SQLite finds.
 *
 * 1. A condition becomes SQL only if it has the same result for every document; when in doubt it does not.
 * 2. Values are parameters and lists are parameters with JSON text: the statement depends on fields and operators only,
 *    so that there are few distinct statements.
 * 3. null and absent are both NULL. `$ne` and `$nin` match them, comparisons do not.
 */
import { type Column, checkNamed, isStorable, type Table, toParam } from './columns.ts';
import type { Param } from './database.ts';
import type { Filter } from './port.ts';

export interface Selection {
  /** A condition for WHERE; `TRUE` if no condition became SQL. */
  where: string;
  params: Param[];
  /** Whether no condition is left for mingo. */
  exact: boolean;
}

type Add = (value: Param) => string;

const idColumn: Pick<Column, 'kind' | 'name' | 'values'> = { kind: 'text', name: 'id', values: '' };
type Compared = typeof idColumn;

const comparisons: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

export function select(table: Table, filter: Filter): Selection {
  checkNamed(table, filter);
  const params: Param[] = [];
  const add: Add = (value) => {
    params.push(value);
    return '?';
  };
  const parts: string[] = [];
  let exact = true;
  for (const [path, condition] of conditions(filter)) {
    const column = path === 'id' ? idColumn : table.column(path);
    const sql = column && translate(column, condition, add);
    if (sql === undefined) exact = false;
    else parts.push(sql);
  }
  return { where: parts.length > 0 ? parts.join(' AND ') : 'TRUE', params, exact };
}

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
function translate(column: Compared, condition: unknown, add: Add): string | undefined {
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

function anyOf(column: Compared, values: readonly unknown[], add: Add): string | undefined {
  if (!values.every(isScalar)) return undefined;
  const { kind, name } = column;
  const type = kind === 'texts' ? 'string' : kind === 'text' ? 'string' : kind;
  // No document contains a value of another type.
  const fitting = values.filter((value) => typeof value === type).map(toParam);
  const sql = fitting.length > 0 ? has(column, fitting, add) : 'FALSE';
  return values.includes(null) ? `(${name} IS NULL OR ${sql})` : `(${name} IS NOT NULL AND ${sql})`;
}

function has({ kind, name, values: table }: Compared, values: readonly Param[], add: Add): string {
  const [first = null] = values;
  const matches =
    values.length === 1 ? `= ${add(first)}` : `IN (SELECT value FROM json_each(${add(JSON.stringify(values))}))`;
  return kind === 'texts' ? `id IN (SELECT id FROM ${table} WHERE value ${matches})` : `${name} ${matches}`;
}

/** Values with the same meaning in both languages; mingo tests texts that SQLite cannot store. */
const isScalar = (value: unknown): value is string | number | boolean | null => {
  if (typeof value === 'string') return isStorable(value);
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
};

function compare({ kind, name }: Compared, sign: string, operand: unknown, add: Add): string | undefined {
  const isText = kind === 'text' && typeof operand === 'string';
  const isNumber = kind === 'number' && typeof operand === 'number';
  if ((!isText && !isNumber) || !isScalar(operand)) return undefined;
  return `(${name} IS NOT NULL AND ${name} ${sign} ${add(toParam(operand))})`;
}

/** @returns the list for ORDER BY, or undefined when a field is not indexed; ties are broken by id */
export function order(table: Table, sort: Readonly<Record<string, 1 | -1>>): string | undefined {
  checkNamed(table, sort);
  const parts: string[] = [];
  for (const [path, direction] of Object.entries(sort)) {
    const column = path === 'id' ? idColumn : table.column(path);
    if (column === undefined || column.kind === 'texts') return undefined;
    // null sorts before all other values.
    parts.push(`${column.name} ${direction === 1 ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}`);
  }
  return [...parts, ...('id' in sort ? [] : ['id'])].join(', ');
}
