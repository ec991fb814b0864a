/** Pending events of one collection of a store in memory, for tests that publish nothing. */
import { EventPublisher } from '../../../engine/events/outbox/event-publisher.ts';
import type { HasPendingEvents } from '../../../engine/events/outbox/pending-events.ts';
import { Tombstones, tombstoneSpec } from '../../../engine/events/outbox/tombstones.ts';
import type { Collection } from '../../../engine/platform/store/port.ts';
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
