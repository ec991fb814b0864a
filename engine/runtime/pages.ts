/** Many documents of a collection, however many there are. */
import type { Collection, Document, Filter } from '../store/port.ts';

const PAGE = 200;
/** Ids in one filter. */
const IDS = 500;

/**
 * All that match, in the order of their ids, holding a page of them at a time.
 * @param filter says nothing of the id
 * @param after only those behind this id
 */
export async function* pages<T extends Document>(
  collection: Collection<T>,
  filter: Filter,
  after = '',
): AsyncGenerator<T> {
  // The first has no place to begin at: a store that is told one may take it for what narrows the search most.
  for (let beyond = after; ; ) {
    const page = await collection.find(beyond === '' ? filter : { ...filter, id: { $gt: beyond } }, { limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    beyond = last.id;
  }
}

/** Those that are there, in no order. @param atOnce read in one go */
export async function byIds<T extends Document>(
  collection: Collection<T>,
  ids: readonly string[],
  atOnce = IDS,
): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    found.push(...(await collection.find({ id: { $in: ids.slice(from, from + atOnce) } })));
  }
  return found;
}

/** As many side by side as may be saved together. */
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

/** Sees to each document, a group of them side by side: their rows are saved together. */
export async function inGroups<T>(
  documents: AsyncIterable<T>,
  size: number,
  see: (document: T) => Promise<void>,
): Promise<void> {
  for await (const group of groups(documents, size)) await Promise.all(group.map(see));
}
