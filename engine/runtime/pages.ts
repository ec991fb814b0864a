/** Many documents of a collection, however many there are. */
import type { Collection, Document, Filter } from '../store/port.ts';

const PAGE = 200;
/** Ids in one filter. */
const IDS = 500;

/** All that match, in the order of their ids, holding a page of them at a time. @param filter says nothing of the id */
export async function* pages<T extends Document>(collection: Collection<T>, filter: Filter): AsyncGenerator<T> {
  for (let after = ''; ; ) {
    const page = await collection.find({ ...filter, id: { $gt: after } }, { limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
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

/** Sees to each document, a group of them side by side: their rows are saved together. */
export async function inGroups<T>(
  documents: AsyncIterable<T>,
  size: number,
  see: (document: T) => Promise<void>,
): Promise<void> {
  let group: Promise<void>[] = [];
  for await (const document of documents) {
    group.push(see(document));
    if (group.length < size) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
}
