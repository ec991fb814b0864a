/** The rows of the embedded store in the hands of a process that may die at any moment. */
import { foldJournal } from '../../../engine/durable/live/journal-fold.ts';
import { openJournalRows } from '../../../engine/durable/live/journal-state.ts';
import { openEmbeddedStore } from '../../../engine/platform/store/embedded.ts';
import type { JournaledStore } from '../../../engine/platform/store/journal.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import type { Life } from '../faults/dying-store.ts';

export async function openJournaledStore(t: Scope): Promise<JournaledStore> {
  const store = await openEmbeddedStore({ dataDir: folder(t) });
  t.teardown(() => store.close());
  return store;
}

/** Starts a process on what earlier ones left in the store. They are dead: nothing of their memory is used. */
export async function startJournal(store: JournaledStore) {
  await foldJournal(store);
  return openJournalRows(store);
}

export type JournalProcess = Awaited<ReturnType<typeof startJournal>>;

/** Returns the store as a process sees it that dies at one of its writes. */
export function dyingStore(store: JournaledStore, life: Life): JournaledStore {
  const journal = new Proxy(store.journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...given: unknown[]) => unknown;
      const isWrite = ['append', 'appendRemoval', 'checkpoint'].includes(String(name));
      return isWrite ? (...given: unknown[]) => life.call(async () => call(...given)) : call;
    },
  });
  return { ...store, collection: (spec) => store.collection(spec), journal };
}

export async function entryCount(store: JournaledStore): Promise<number> {
  let count = 0;
  for await (const { entries } of store.journal.pages()) count += entries.length;
  return count;
}
