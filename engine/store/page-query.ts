/**
 * The statements for a page of matches. SQLite plans without regard to the limit, and without knowing whether one value
 * of a field is rare or common. The thread therefore counts the matches up to `FEW` first:
 *
 * 1. A few are found by the indexes of the conditions, and sorted.
 * 2. Of many, the page is found by going through the documents in the order of the sort.
 * 3. The count is not needed where one index has the matches in this order.
 */
import type { Param, Table } from './columns.ts';
import type { Order, Selection } from './filter.ts';

/** Sorting this many takes about a millisecond. */
const FEW = 1_000;

export interface PageQuery {
  /** Counts the matches up to a limit, from which they are many; undefined: they are read like many. */
  probe: string | undefined;
  limit: number;
  few: string;
  many: string;
  params: readonly Param[];
  /** Parameters of `few` and `many` after those of the conditions. */
  last: readonly Param[];
}

/** @param columns to return */
export function pageQuery(
  { name }: Table,
  columns: readonly string[],
  { where, unordered, params, hasValue }: Selection,
  { by, index }: Order,
  last: readonly [limit: number, skip: number],
): PageQuery {
  const select = `SELECT ${columns.join(', ')} FROM ${name}`;
  const isOrdered = where === 'TRUE' || (hasValue && by.startsWith('id'));
  return {
    probe: isOrdered ? undefined : `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${unordered} LIMIT ${FEW})`,
    limit: FEW,
    few: `${select} WHERE ${unordered} ORDER BY +${by} LIMIT ? OFFSET ?`,
    many: `${select}${isOrdered ? '' : ` INDEXED BY ${index}`} WHERE ${where} ORDER BY ${by} LIMIT ? OFFSET ?`,
    params,
    last,
  };
}
