/**
 * Translates filters to SQL. The top level of a filter is an AND; each condition on an indexed field
 * becomes SQL if PostgreSQL evaluates it exactly as MongoDB's language does. mingo tests the remaining
 * conditions on the documents that PostgreSQL finds.
 *
 * 1. A condition becomes SQL only if it has the same result for every document; when in doubt it does not.
 * 2. Values are parameters and lists are array parameters: the text depends on fields and operators only, so that there
 *    are few distinct texts.
 * 3. null and absent are both NULL. `$ne` and `$nin` match them, comparisons do not.
 */
import { type Column, checkNamed, isStorable, type Table } from './columns.ts';
import type { Filter } from './port.ts';

export interface Selection {
  /** A condition for WHERE; `TRUE` if no condition became SQL. */
  where: string;
  params: unknown[];
  /** Whether no condition is left for mingo. */
  exact: boolean;
}

type Param = (value: unknown) => string;

const idColumn: Column = { path: 'id', kind: 'text', name: 'id', type: 'text', unique: true };

const comparisons: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

export function select(table: Table, filter: Filter): Selection {
  checkNamed(table, filter);
  const params: unknown[] = [];
  const param: Param = (value) => `$${params.push(value)}`;
  const parts: string[] = [];
  let exact = true;
  for (const [path, condition] of conditions(filter)) {
    const column = path === 'id' ? idColumn : table.column(path);
    const sql = column && translate(column, condition, param);
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
function translate(column: Column, condition: unknown, param: Param): string | undefined {
  const [operator, operand] = isOperators(condition) ? (Object.entries(condition)[0] ?? []) : ['$eq', condition];
  switch (operator) {
    case '$eq':
      return anyOf(column, [operand], param);
    case '$in':
      return Array.isArray(operand) ? anyOf(column, operand, param) : undefined;
    case '$ne':
      return not(anyOf(column, [operand], param));
    case '$nin':
      return Array.isArray(operand) ? not(anyOf(column, operand, param)) : undefined;
    default: {
      const sign = comparisons[operator ?? ''];
      return sign && compare(column, sign, operand, param);
    }
  }
}

/** The SQL is never NULL itself, so `NOT` negates it. */
const not = (sql: string | undefined) => sql && `NOT ${sql}`;

function anyOf({ kind, name }: Column, values: readonly unknown[], param: Param): string | undefined {
  if (!values.every(isScalar)) return undefined;
  const element = kind === 'texts' ? 'string' : kind === 'text' ? 'string' : kind;
  // No document contains a value of another type.
  const fitting = values.filter((value) => typeof value === element);
  const sql = fitting.length > 0 ? has(kind, name, fitting, param) : 'FALSE';
  return values.includes(null) ? `(${name} IS NULL OR ${sql})` : `(${name} IS NOT NULL AND ${sql})`;
}

function has(kind: Column['kind'], name: string, values: readonly unknown[], param: Param): string {
  if (kind === 'texts') return `${name} && ${param(values)}::text[]`;
  const [only] = values;
  return values.length === 1 ? `${name} = ${param(only)}` : `${name} = ANY(${param(values)})`;
}

/** Values with the same meaning in both languages; mingo tests texts that PostgreSQL cannot store. */
const isScalar = (value: unknown): boolean => {
  if (typeof value === 'string') return isStorable(value);
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
};

function compare({ kind, name }: Column, sign: string, operand: unknown, param: Param): string | undefined {
  if (kind === 'text' && typeof operand === 'string' && isStorable(operand)) {
    return `(${name} IS NOT NULL AND ${name} ${sign} ${param(operand)})`;
  }
  if (kind === 'number' && typeof operand === 'number' && Number.isFinite(operand)) {
    return `(${name} IS NOT NULL AND ${name} ${sign} ${param(operand)})`;
  }
  return undefined;
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
