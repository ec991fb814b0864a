/** Pending events of one collection of a store in memory, for tests that publish nothing. */
import { EventPublisher } from '../../engine/outbox/event-publisher.ts';
import type { HasPendingEvents } from '../../engine/outbox/pending-events.ts';
import { Tombstones, tombstoneSpec } from '../../engine/outbox/tombstones.ts';
import type { Collection } from '../../engine/store/port.ts';
import { MemoryStore } from './memory-store.ts';

export async function pendingIn<T extends HasPendingEvents>(stored: Collection<T>) {
  const store = new MemoryStore();
  const tombstones = new Tombstones(await store.collection(tombstoneSpec));
  const failed = (error: unknown) => {
    throw error;
  };
  const publisher = new EventPublisher(
    { publish: async () => {} },
    await store.collection({ name: 'none', indexes: {} }),
    tombstones,
    failed,
  );
  return { pending: publisher.of('some', stored, ({ id }) => id), publisher };
}
