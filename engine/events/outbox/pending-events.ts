/**
 * The transactional outbox of a collection: each change and its pending events are one write. All events of stored
 * documents leave through it, except those of workflow steps, which are in the step's row (`durable/runtime/effect-runner.ts`).
 *
 * 1. A pending event is stored in the document (`pending`) from the change until its event has been published; `pendingCount`
 *    counts them, and the sweep searches by it.
 * 2. Deleting a document deletes its pending events; they are therefore written to a tombstone first (`tombstones.ts`).
 * 3. Any process that finds a pending event may publish it: the event keeps its id, however often it is published.
 *
 * If the process dies
 * - before the write of 1: nothing was changed, and nothing will be published;
 * - after it, before the outbox has the event: the change is there, and the sweep publishes its event;
 * - after that, before the pending event is deleted: the sweep publishes the event again, under the same id;
 * - after the tombstone, before the deletion: the document and its pending events are there, and the tombstone is
 *   dropped after a minute, unpublished;
 * - after the deletion: the sweep publishes what the tombstone has.
 */

import { batch } from '../../platform/lib/batch.ts';
import { isAbandoned } from '../../platform/lib/clock.ts';
import { byIds, pages } from '../../platform/store/pages.ts';
import type {
  Collection,
  Document,
  DocumentUpdate,
  Filter,
  Update,
  VersionedDocument,
} from '../../platform/store/port.ts';
import type { PendingEvent, UnpublishedEvents } from './pending-event.ts';
import type { Tombstones } from './tombstones.ts';

export interface HasPendingEvents extends Document {
  /** By key. */
  pending?: Record<string, PendingEvent>;
  pendingCount?: number;
}

/** The index that a collection with pending events needs. */
export const pendingIndex = { pendingCount: 'number' } as const;

const byKey = (events: readonly PendingEvent[]): Record<string, PendingEvent> =>
  Object.fromEntries(events.map((event) => [event.id, event]));

/** Returns the document with these pending events, and no others. */
const withPending = <T extends HasPendingEvents>(document: T, events: readonly PendingEvent[]): T => ({
  ...document,
  pending: byKey(events),
  pendingCount: events.length,
});

/** Returns the pending events of a document, oldest first. */
export const pendingOf = ({ pending = {} }: HasPendingEvents): PendingEvent[] =>
  Object.values(pending).sort((a, b) => (a.at < b.at ? -1 : 1));

/** A change of one document together with an event that it adds, or with events that have been published. */
export interface PendingUpdate extends DocumentUpdate {
  event?: PendingEvent;
  published?: readonly PendingEvent[];
}

/** Returns the change together with the pending event that it adds. */
const adding = ({ $set, $inc, ...change }: Update, event: PendingEvent): Update => ({
  ...change,
  $set: { ...$set, [`pending.${event.id}`]: event },
  $inc: { ...$inc, pendingCount: 1 },
});

/** Returns the change together with the deletion of pending events, if all of them are there: none may be counted twice. */
function deleting({ id, filter, update }: DocumentUpdate, events: readonly PendingEvent[]): DocumentUpdate {
  const each = (value: unknown) => Object.fromEntries(events.map((event) => [`pending.${event.id}`, value]));
  const without = events.length === 0 ? {} : { $unset: each(''), $inc: { pendingCount: -events.length } };
  return { id, filter: { ...filter, ...each({ $exists: true }) }, update: { ...update, ...without } };
}

const withEvents = ({ event, published = [], ...change }: PendingUpdate): DocumentUpdate =>
  event === undefined ? deleting(change, published) : { ...change, update: adding(change.update, event) };

const idsOf = (documents: readonly Document[]): string[] => documents.map(({ id }) => id);

export class PendingEvents<T extends HasPendingEvents> {
  readonly #stored: Collection<T>;
  readonly #tombstones: Tombstones;
  readonly #name: string;
  readonly #createdAt: (document: T) => string;
  /** Those published in one event loop turn are deleted together. A concurrent publisher may have deleted them. */
  readonly #delete = batch(async (changes: PendingUpdate[]) => {
    await this.updateEach(changes);
    return changes;
  });

  /** @param createdAt distinguishes a document from an earlier one with the same id */
  constructor(stored: Collection<T>, tombstones: Tombstones, name: string, createdAt: (document: T) => string) {
    this.#stored = stored;
    this.#tombstones = tombstones;
    this.#name = name;
    this.#createdAt = createdAt;
  }

  /** @returns undefined when the id exists already. @throws DuplicateError when a unique field is taken */
  async insert(document: T, events: readonly PendingEvent[]): Promise<UnpublishedEvents | undefined> {
    const [inserted] = await this.#stored.insertMissing([
      events.length === 0 ? document : withPending(document, events),
    ]);
    return inserted ? this.of(document.id, events) : undefined;
  }

  /** Inserts documents with new ids, in one request. @throws DuplicateError; then a part may be inserted */
  async insertAll(documents: readonly (readonly [T, readonly PendingEvent[]])[]): Promise<UnpublishedEvents[]> {
    if (documents.length === 0) return [];
    await this.#stored.insertMissing(documents.map(([document, events]) => withPending(document, events)));
    return documents.map(([{ id }, events]) => this.of(id, events));
  }

  /** Changes the first match. @returns the changed document; undefined when nothing matches */
  async update(
    filter: Filter,
    change: Update,
    event: PendingEvent,
  ): Promise<{ found: T; unpublished: UnpublishedEvents } | undefined> {
    const found = await this.#stored.update(filter, adding(change, event));
    return found && { found, unpublished: this.of(found.id, [event]) };
  }

  /** Compare-and-set of many documents in one request. @returns the number of changes made */
  updateEach(changes: readonly PendingUpdate[]): Promise<number> {
    return this.#stored.updateEach(changes.map(withEvents));
  }

  /** Changes each document that meets its conditions, with an event of its own. @returns the events of those changed */
  async changeEach(changes: readonly (PendingUpdate & { event: PendingEvent })[]): Promise<UnpublishedEvents[]> {
    const made = await this.updateEach(changes);
    const found = made === changes.length ? undefined : await byIds(this.#stored, idsOf(changes));
    const noted = found && new Set(found.flatMap(({ pending }) => Object.keys(pending ?? {})));
    const changed = noted === undefined ? changes : changes.filter(({ event }) => noted.has(event.id));
    return changed.map(({ id, event }) => this.of(id, [event]));
  }

  /**
   * Compare-and-set: replaces the document that was read, and its pending events, which have to be published by now.
   * @param document as it shall be, with the version that was read
   * @returns undefined after a concurrent change
   */
  async replace(
    document: T & VersionedDocument,
    events: readonly PendingEvent[],
  ): Promise<{ found: T & VersionedDocument; unpublished: UnpublishedEvents } | undefined> {
    const found = withPending({ ...document, version: document.version + 1 }, events);
    const [replaced] = await this.#stored.replace([found]);
    return replaced ? { found, unpublished: this.of(found.id, events) } : undefined;
  }

  /**
   * @param key identifies a deletion that can happen only once, such as a
   * node's; absent: each deletion has its own events
   * @returns the number of deleted documents; the pending events, unless a concurrent deletion publishes them
   */
  async remove(
    documents: readonly T[],
    eventsOf: (document: T) => readonly PendingEvent[],
    key?: string,
  ): Promise<{ count: number; unpublished: UnpublishedEvents | undefined }> {
    const going = documents.map((document) => ({
      document: document.id,
      born: this.#createdAt(document),
      notes: [...pendingOf(document), ...eventsOf(document)],
    }));
    const isSilent = going.every(({ notes }) => notes.length === 0);
    const unpublished = isSilent ? undefined : await this.#tombstones.write(this.#name, going, key);
    const count = await this.#stored.remove({ id: { $in: idsOf(documents) } });
    return { count, unpublished };
  }

  /** Returns pending events of a stored document. @param events each is in it, or was a moment ago */
  of(id: string, events: readonly PendingEvent[]): UnpublishedEvents {
    return { events, published: async () => events.length > 0 && this.#delete({ id, update: {}, published: events }) };
  }

  /** Yields pending events that no process publishes any more. @param minAgeMs minimum age; 0: no other process runs */
  async *abandonedEvents(minAgeMs: number): AsyncGenerator<UnpublishedEvents> {
    for await (const document of pages(this.#stored, { pendingCount: { $gte: 1 } })) {
      const events = pendingOf(document).filter(({ at }) => isAbandoned(at, minAgeMs));
      if (events.length > 0) yield this.of(document.id, events);
    }
    yield* this.#tombstones.abandonedEvents(this.#name, minAgeMs, (ids) => this.#existingIds(ids));
  }

  async #existingIds(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#stored.find({ id: { $in: [...ids] } });
    return new Map(found.map((document) => [document.id, this.#createdAt(document)]));
  }
}
