/** Reads and changes any number of documents of a collection. */
import { batch } from '../lib/batch.ts';
import { groupBy } from '../lib/group-by.ts';
import type { Collection, Document, DocumentUpdate, Filter, FindOptions } from './port.ts';

const DOCUMENTS_PER_PAGE = 200;
const SORTED_PER_PAGE = 1_000;
/** Maximum ids in one filter. */
const IDS = 500;
/** Values of a field that are read together, and documents of such a read: the maximum of a store. */
const [VALUES_TOGETHER, DOCUMENTS_TOGETHER] = [20, 1_000];

/**
 * Yields all matching documents in the order of their ids, with one page in memory at a time.
 * @param filter must not constrain the id
 * @param after only documents with a greater id
 */
export async function* pages<T extends Document>(
  collection: Pick<Collection<T>, 'find'>,
  filter: Filter,
  after = '',
): AsyncGenerator<T> {
  // Without a lower bound on the first page: a store might use it as the most selective condition.
  for (let beyond = after; ; ) {
    const page = await collection.find(beyond === '' ? filter : { ...filter, id: { $gt: beyond } }, {
      limit: DOCUMENTS_PER_PAGE,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < DOCUMENTS_PER_PAGE) return;
    beyond = last.id;
  }
}

/** A collection whose pages have only the ids and these indexed fields. */
export const picking = <T extends Document, F extends keyof T & string>(
  collection: Pick<Collection<T>, 'pick'>,
  fields: readonly F[],
) => ({ find: (filter: Filter, page?: FindOptions) => collection.pick(fields, filter, page) });

/** Returns the first documents in an order. @param most documents */
export async function firstIn<T extends Document>(
  collection: Pick<Collection<T>, 'find'>,
  filter: Filter,
  { sort, most }: { sort: Record<string, 1 | -1>; most: number },
): Promise<T[]> {
  const all: T[] = [];
  while (all.length < most) {
    const limit = Math.min(SORTED_PER_PAGE, most - all.length);
    const page = await collection.find(filter, { sort, skip: all.length, limit });
    all.push(...page);
    if (page.length < limit) break;
  }
  return all;
}

/** Returns the existing documents, in no particular order. @param atOnce maximum ids per query */
export async function byIds<T extends Document>(
  collection: Pick<Collection<T>, 'find'>,
  ids: readonly string[],
  atOnce = IDS,
): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    found.push(...(await collection.find({ id: { $in: ids.slice(from, from + atOnce) } })));
  }
  return found;
}

/**
 * For reads that each of many concurrent requests makes: they become one. A server needs little more time for it than for
 * the read of one request.
 * @param filter further conditions
 * @param limit documents with each value
 * @returns reads the documents with a value of the field
 */
export function readerBy<T extends Document, F extends keyof T & string>(
  collection: Pick<Collection<T>, 'find'>,
  field: F,
  filter: Filter = {},
  { sort = {}, limit = DOCUMENTS_TOGETHER }: Pick<FindOptions, 'sort' | 'limit'> = {},
): (value: string) => Promise<T[]> {
  return batch(async (values: string[]) => {
    const together = { ...filter, [field]: { $in: [...new Set(values)] } };
    const found = await collection.find(together, { sort, limit: DOCUMENTS_TOGETHER });
    // Some of them were left out.
    if (found.length === DOCUMENTS_TOGETHER)
      return Promise.all(values.map((value) => collection.find({ ...filter, [field]: value }, { sort, limit })));
    const byValue = new Map(groupBy(found, (document) => String(document[field])));
    return values.map((value) => (byValue.get(value) ?? []).slice(0, limit));
  }, VALUES_TOGETHER);
}

/** Makes the changes, a page at a time. */
export async function updateAll<T extends Document>(
  collection: Pick<Collection<T>, 'updateEach'>,
  changes: readonly DocumentUpdate[],
): Promise<void> {
  for (let from = 0; from < changes.length; from += DOCUMENTS_PER_PAGE)
    await collection.updateEach(changes.slice(from, from + DOCUMENTS_PER_PAGE));
}

/** Groups documents for concurrent processing. */
export async function* groups<T>(documents: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const document of documents) {
    group.push(document);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Processes documents in concurrent groups, so that their rows are saved together. */
export async function inGroups<T>(
  documents: AsyncIterable<T>,
  size: number,
  see: (document: T) => Promise<void>,
): Promise<void> {
  for await (const group of groups(documents, size)) await Promise.all(group.map(see));
}
