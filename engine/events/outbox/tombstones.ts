/**
 * Tombstones: the events of deleted documents, kept until they have been published.
 *
 * 1. A tombstone is written before its documents are deleted. It applies only to documents that were in fact deleted:
 *    if the process died first, they remain and the tombstone is dropped after a minute. No write takes that long.
 * 2. A published tombstone is kept for at least a minute, so that two concurrent deletions of the same node publish one
 *    event. A later publication deletes it.
 */
import { randomUUID } from 'node:crypto';
import { isAbandoned, now } from '../../platform/lib/clock.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import type { PendingEvent, UnpublishedEvents } from './pending-event.ts';

/** A document that is being deleted. */
interface DeletedDocument {
  document: string;
  /** When it was created: distinguishes it from a later one with the same id. */
  born: string;
  notes: readonly PendingEvent[];
}

export interface Tombstone {
  id: string;
  /** Name of the collection. */
  of: string;
  going: readonly DeletedDocument[];
  at: string;
  /** Whether its events have been published. */
  published: boolean;
}

export const tombstoneSpec: CollectionSpec = {
  name: 'removals',
  indexes: { of: 'text', published: 'boolean', at: 'text' },
};

export class Tombstones {
  readonly #stored: Collection<Tombstone>;
  #cleared = now();

  constructor(stored: Collection<Tombstone>) {
    this.#stored = stored;
  }

  /** @returns undefined when the same deletion has a tombstone already; its first caller publishes the events */
  async write(
    of: string,
    going: readonly DeletedDocument[],
    key: string = randomUUID(),
  ): Promise<UnpublishedEvents | undefined> {
    const tombstone: Tombstone = { id: `${of} ${key}`, of, going, at: new Date(now()).toISOString(), published: false };
    const [first] = await this.#stored.insertMissing([tombstone]);
    return first ? this.#unpublishedEvents(tombstone.id, going) : undefined;
  }

  #unpublishedEvents(id: string, deleted: readonly DeletedDocument[]): UnpublishedEvents {
    return { events: deleted.flatMap(({ notes }) => notes), published: () => this.#markPublished(id) };
  }

  async #markPublished(id: string): Promise<void> {
    await this.#stored.update({ id }, { $set: { published: true } });
    if (now() - this.#cleared < MINUTE_MS) return;
    this.#cleared = now();
    await this.#stored.remove({ published: true, at: { $lte: new Date(now() - MINUTE_MS).toISOString() } });
  }

  /** Like `PendingEvents.abandoned`. @param existing returns when those documents that still exist were created, by id */
  async *abandonedEvents(
    of: string,
    minAgeMs: number,
    existing: (ids: readonly string[]) => Promise<Map<string, string>>,
  ): AsyncGenerator<UnpublishedEvents> {
    for await (const { id, going, at } of pages(this.#stored, { published: false, of })) {
      if (!isAbandoned(at, minAgeMs)) continue;
      const there = await existing(going.map(({ document }) => document));
      const deleted = going.filter(({ document, born }) => there.get(document) !== born);
      if (deleted.length < going.length && minAgeMs > 0 && !isAbandoned(at, MINUTE_MS)) continue;
      if (deleted.length > 0) yield this.#unpublishedEvents(id, deleted);
      else await this.#stored.remove({ id });
    }
  }
}
