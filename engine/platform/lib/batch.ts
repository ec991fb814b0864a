/**
 * Group commits: items that arrive while a batch is running form the next batch. Under load, one write thus carries
 * many items, and a single item does not wait.
 *
 * 1. One batch runs at a time, and items keep their order of arrival.
 * 2. A batch starts at the end of the event-loop turn of its first item, so that items of one turn go together; with
 *    `lingerMs` it starts after that time. A full batch starts immediately.
 * 3. A failed batch rejects each of its items, and an error instead of a result the item alone; the next batch is not
 *    affected.
 */
import { setTimeout as after, setImmediate as turn } from 'node:timers/promises';

interface Entry<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (reason: unknown) => void;
}

/** 500 documents of 8 KiB are 4 MiB: more would block other statements for longer than it saves. */
const MAX_BATCH = 500;

/**
 * @param run processes a batch, and returns the results in the order of the items
 * @param lingerMs ms that the first item of a batch waits for more
 * @returns submits one item and resolves with its result
 */
export function batch<T, R>(
  run: (items: T[]) => Promise<(R | Error)[]>,
  max = MAX_BATCH,
  lingerMs = 0,
): (item: T) => Promise<R> {
  const waiting: Entry<T, R>[] = [];
  let busy = false;

  const carry = async (entries: Entry<T, R>[]) => {
    try {
      const results = await run(entries.map(({ item }) => item));
      if (results.length !== entries.length) {
        throw new Error(`batch: found ${results.length} results, expected ${entries.length}`);
      }
      for (const [index, entry] of entries.entries()) {
        const result = results[index] as R | Error;
        if (result instanceof Error) entry.reject(result);
        else entry.resolve(result);
      }
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
  };

  const runNext = async () => {
    while (waiting.length > 0) {
      // Callers that submit again right after a result belong to the next batch.
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
      void runNext();
    });
}
