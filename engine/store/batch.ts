/**
 * Group commits: items that come while a batch is under way go together in the next one. So under load one write
 * carries many items, and an item that comes alone waits for nobody.
 *
 * 1. One batch is in flight at a time, and items leave in the order in which they came.
 * 2. A batch starts at the end of the turn of the event loop in which its first item came, so that what one tick
 *    makes ready goes together; or a while later, when nobody waits for the items. One that is full starts at once.
 * 3. A batch that fails fails for each of its items; the next one is not touched by it.
 */
import { setTimeout as after, setImmediate as turn } from 'node:timers/promises';

interface Entry<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (reason: unknown) => void;
}

/** 500 documents of 8 KiB are 4 MiB: more would hold everything else up for longer than it saves. */
const MAX_BATCH = 500;

/**
 * @param run carries a batch out, and gives a result for each item in the same order
 * @param lingerMs how long the first item of a batch waits for more
 * @returns takes one item and gives its result
 */
export function batch<T, R>(run: (items: T[]) => Promise<R[]>, max = MAX_BATCH, lingerMs = 0): (item: T) => Promise<R> {
  const waiting: Entry<T, R>[] = [];
  let busy = false;

  const carry = async (entries: Entry<T, R>[]) => {
    try {
      const results = await run(entries.map(({ item }) => item));
      if (results.length !== entries.length) {
        throw new Error(`batch: found ${results.length} results, expected ${entries.length}`);
      }
      for (const [index, entry] of entries.entries()) entry.resolve(results[index] as R);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
  };

  const next = async () => {
    while (waiting.length > 0) {
      // Who has just got a result and goes on at once belongs into the next batch.
      if (waiting.length < max) await (lingerMs > 0 ? after(lingerMs) : turn());
      await carry(waiting.splice(0, max));
    }
    busy = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      void next();
    });
}
