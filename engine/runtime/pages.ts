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
