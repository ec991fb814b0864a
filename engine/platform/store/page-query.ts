/**
 * The statements for a page of matches. SQLite plans without regard to the limit, and without knowing whether one value
 * of a field is rare or common. The thread therefore counts the matches up to `MAX_SORTED` first:
 *
 * 1. A few are found by the indexes of the conditions, and sorted.
 * 2. Of many, the page is found by going through the documents in the order of the sort.
 * 3. The count is not needed where one index has the matches in this order.
 * 4. Of many with some values of a field in `CollectionSpec.newest`, entries of its index are sorted, without their documents: of
 *    100,000 in a few hundredths of a second, where those with these values may all be at the end of the order. All
 *    entries of an index that does not have the order of the sort are sorted in the same way.
 * 5. A search for scanned fields reads the entries of their index, without a count, which would read as many.
 */
import { newestBy, type Param, quote, type Table } from './columns.ts';
import type { Order, Selection } from './filter.ts';

/** Sorting this many takes about a millisecond. */
const MAX_SORTED = 1_000;

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
  { name, newest, scan }: Table,
  columns: readonly string[],
  { where, unordered, params, hasValue, valued, isScanned }: Selection,
  { by, path, index, isOrdered }: Order,
  last: readonly [limit: number, skip: number],
): PageQuery {
  const select = `SELECT ${columns.join(', ')} FROM ${name}`;
  const isPlain = where === 'TRUE' || (hasValue && path === 'id');
  const field = path === 'createdAt' ? [...newest.keys()].find((one) => valued.has(one)) : undefined;
  const ofField = field === undefined ? undefined : quote(newest.get(field) as string);
  const sorted = isScanned && scan !== undefined ? quote(scan) : (ofField ?? (isOrdered ? undefined : index));
  const page = `ORDER BY ${by} LIMIT ? OFFSET ?`;
  return {
    probe:
      isPlain || isScanned
        ? undefined
        : `SELECT count(*) FROM (SELECT 1 FROM ${name} WHERE ${unordered} LIMIT ${MAX_SORTED})`,
    limit: MAX_SORTED,
    few: `${select} WHERE ${unordered} ORDER BY +${by} LIMIT ? OFFSET ?`,
    many:
      sorted === undefined
        ? `${select}${isPlain ? '' : ` INDEXED BY ${index}`} WHERE ${where} ${page}`
        : `${select} WHERE rowid IN (
            SELECT rowid FROM ${name} INDEXED BY ${sorted} WHERE ${where} ${page}
          ) ORDER BY +${by}`,
    params,
    last,
  };
}

/** Returns the statement that counts the matches. */
export function countQuery({ name, scan }: Table, { where, isScanned }: Selection): string {
  // Not all conditions are on fields of that index, which is still smaller than the table.
  const index = isScanned && scan !== undefined ? ` INDEXED BY ${quote(scan)}` : '';
  return `SELECT count(*) FROM ${name}${index} WHERE ${where}`;
}

/**
 * Returns the statement for the newest documents with each of some values. Each value needs as many entries of its index as it
 * has results, however many documents there are. Parameters: a list of the values as JSON text, and the limit of each.
 * @param columns to return, of each document as JSON text
 */
export function newestQuery(table: Table, columns: readonly string[], path: string): string {
  const own = `SELECT ${columns.join(', ')} FROM ${table.name} INDEXED BY ${quote(newestBy(table, path))}
    WHERE ${table.column(path)?.name} = one.value ORDER BY ${table.column('createdAt')?.name} DESC, id LIMIT ?2`;
  return `SELECT (SELECT json_group_array(json_array(${columns.join(', ')})) FROM (${own})) FROM json_each(?1) AS one`;
}
