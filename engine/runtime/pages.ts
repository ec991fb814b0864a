/** All documents of a collection that match, in the order of their ids, holding a page of them at a time. */
import type { Collection, Document, Filter } from '../store/port.ts';

const PAGE = 200;

export async function* pages<T extends Document>(collection: Collection<T>, filter: Filter): AsyncGenerator<T> {
  for (let after = ''; ; ) {
    const page = await collection.find({ ...filter, id: { $gt: after } }, { limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
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
