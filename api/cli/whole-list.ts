/** Reads a list of the daemon to its end, a page at a time. */
import type { ApiAnswer, ListQuery } from '../client/requests.ts';

/** The largest page that the daemon sends. */
const MAX_TOP = 1_000;

/** @param page requests one page @param query with `$top`, if pages of large records are to be smaller @param limit the user's choice */
export async function wholeList<T>(
  page: (query: ListQuery) => Promise<ApiAnswer<T[]>>,
  query: ListQuery = {},
  limit = Number.POSITIVE_INFINITY,
): Promise<{ body: T[]; total: number | undefined }> {
  const records: T[] = [];
  let total: number | undefined;
  let next: ListQuery | undefined = { ...query, $top: Math.min(Number(query.$top ?? MAX_TOP), limit) };
  while (next !== undefined && records.length < limit) {
    const answer: ApiAnswer<T[]> = await page(next);
    records.push(...answer.body);
    total ??= answer.total;
    next = answer.next;
  }
  return { body: records.slice(0, limit), total };
}
