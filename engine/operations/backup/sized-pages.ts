/** Reads collections in pages of some megabytes: a catalog may have two, most documents have a kilobyte. */
import type { Collection, Document, Filter } from '../../platform/store/port.ts';
import { MIB } from '../../vocabulary/units.ts';

const PAGE_BYTES = 4 * MIB;
const FIRST_LIMIT = 20;
const MAX_DOCUMENTS = 500;

/** Documents as JSON lines. */
export interface Lines {
  text: string;
  count: number;
}

/**
 * Yields the documents in the order of their ids.
 * @param filter must not constrain the id
 * @param apart whether they have the texts that other reads leave out
 */
export async function* sizedPages<T extends Document>(
  collection: Pick<Collection<T>, 'find'>,
  filter: Filter = {},
  apart = false,
): AsyncGenerator<T[]> {
  let limit = FIRST_LIMIT;
  for (let after: string | undefined; ; ) {
    const rest = after === undefined ? filter : { ...filter, id: { $gt: after } };
    const page = await collection.find(rest, { limit, apart });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    after = page.at(-1)?.id;
    const largest = Math.max(...page.map((document) => JSON.stringify(document).length));
    limit = Math.max(1, Math.min(MAX_DOCUMENTS, 2 * limit, Math.floor(PAGE_BYTES / largest)));
  }
}

export function jsonLines(documents: readonly Document[]): Lines {
  return { text: documents.map((document) => `${JSON.stringify(document)}\n`).join(''), count: documents.length };
}
