/**
 * Reads a workflow's history in pages: the entries that its steps wrote, oldest or newest first, optionally filtered.
 * Memory holds at most one page, however long the history is.
 */

import type { Page, PagedList } from '../../api-port/index.ts';
import type { HistoryLog } from '../../durable/live/history-log.ts';
import { linesOf, withUnwritten } from '../../durable/step/publications.ts';
import type { HistoryEntry, WorkflowRow } from '../../durable/step/row.ts';
import { Query } from '../../platform/store/query.ts';

const LINES_PAGE = 200;

/** @param row read before the collection, so that each entry is in the row or already in the collection */
export async function historyPage(
  log: HistoryLog,
  row: WorkflowRow,
  { skip, limit, filter, sort = {} }: Page,
): Promise<PagedList<HistoryEntry>> {
  const all = Object.keys(filter).length === 0;
  const condition = new Query(filter);
  const fits = (line: HistoryEntry) => condition.test({ ...line });
  const total = all ? row.counts.history : await count(allLines(log, row), fits);
  // Entries are sorted by version and time, which both increase from entry to entry.
  const newestFirst = Object.values(sort)[0] === -1;
  const first = newestFirst ? Math.max(0, total - skip - limit) : skip;
  const end = newestFirst ? Math.max(0, total - skip) : skip + limit;
  const items = all
    ? await lines(log, row, first, end - first)
    : await someEntries(allLines(log, row), fits, first, end);
  return { items: newestFirst ? items.reverse() : items, total };
}

async function lines(log: HistoryLog, row: WorkflowRow, skip: number, limit: number) {
  if (limit === 0) return [];
  const written = await log.after(row.id, skip, limit);
  const steps = withUnwritten(written, row).filter(({ last }) => last > skip && last <= row.counts.history);
  return linesOf(steps, skip, limit);
}

async function* allLines(log: HistoryLog, row: WorkflowRow): AsyncGenerator<HistoryEntry> {
  for (let skip = 0; skip < row.counts.history; skip += LINES_PAGE) yield* await lines(log, row, skip, LINES_PAGE);
}

type Fits = (line: HistoryEntry) => boolean;

async function count(all: AsyncIterable<HistoryEntry>, fits: Fits): Promise<number> {
  let found = 0;
  for await (const line of all) if (fits(line)) found += 1;
  return found;
}

/** Returns the matching entries from `first` up to, but not including, `end`. */
async function someEntries(
  all: AsyncIterable<HistoryEntry>,
  fits: Fits,
  first: number,
  end: number,
): Promise<HistoryEntry[]> {
  const items: HistoryEntry[] = [];
  let found = 0;
  for await (const line of all) {
    if (!fits(line)) continue;
    if (found >= end) break;
    if (found >= first) items.push(line);
    found += 1;
  }
  return items;
}
