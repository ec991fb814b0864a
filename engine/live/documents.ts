/** The live port on documents alone: each save replaces the row's document. */
import { AHEAD_MS, now } from '../lib/clock.ts';
import type { StepRow } from '../step/row.ts';
import { byIds, pages } from '../store/pages.ts';
import type { Collection } from '../store/port.ts';
import type { Live } from './port.ts';

export function documentLive<R extends StepRow>(collection: Collection<R>): Live<R> {
  return {
    view: collection,
    get: (id) => collection.get(id),
    getAll: (ids) => byIds(collection, ids),
    insert: (rows) => collection.insertMissing(rows),
    save: (changes) => collection.replace(changes.map(({ row }) => row)),
    async remove(id) {
      await collection.remove({ id });
    },
    left: (quietMs) => pages(collection, { pending: true, ...(quietMs > 0 && quiet(quietMs)) }),
    due: (until) => pages(collection, { wakeAt: { $lte: until } }),
  };
}

/** A row that was saved in the future was saved before the clock was set back. */
const quiet = (ms: number) => {
  const at = (offset: number) => new Date(now() + offset).toISOString();
  return { $or: [{ updatedAt: { $lte: at(-ms) } }, { updatedAt: { $gt: at(AHEAD_MS) } }] };
};
