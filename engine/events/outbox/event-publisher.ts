/**
 * Publishes the pending events of changes, and those that a dead process left behind.
 *
 * 1. A change is durable whether or not its event could be published immediately; the sweep publishes the rest.
 * 2. The caller does not wait until a pending event is deleted. If that write is lost, the event is published again.
 */

import { byIds, groups } from '../../platform/store/pages.ts';
import type { Collection, Document } from '../../platform/store/port.ts';
import type { Publication } from '../../vocabulary/event.ts';
import type { Outbox } from '../broker/outbox.ts';
import {
  completePublications,
  isComplete,
  nodePublication,
  nodesIn,
  type PendingEvent,
  type UnpublishedEvents,
} from './pending-event.ts';
import { type HasPendingEvents, PendingEvents } from './pending-events.ts';
import type { Tombstones } from './tombstones.ts';

interface TypedNode extends Document {
  type: string;
  owner?: string | null;
}

const CHANGES_PER_GROUP = 50;

export class EventPublisher {
  readonly #outbox: Pick<Outbox, 'publish'>;
  readonly #nodes: Collection<TypedNode>;
  readonly #tombstones: Tombstones;
  readonly #failed: (error: unknown) => void;
  readonly #collections = new Map<string, Pick<PendingEvents<HasPendingEvents>, 'abandonedEvents'>>();
  readonly #writing = new Set<Promise<unknown>>();

  constructor(
    outbox: Pick<Outbox, 'publish'>,
    nodes: Collection<TypedNode>,
    tombstones: Tombstones,
    failed: (error: unknown) => void,
  ) {
    this.#outbox = outbox;
    this.#nodes = nodes;
    this.#tombstones = tombstones;
    this.#failed = failed;
  }

  /** Returns the pending events of a collection, which the sweep looks for from now on. */
  of<T extends HasPendingEvents>(
    name: string,
    stored: Collection<T>,
    createdAt: (document: T) => string,
  ): PendingEvents<T> {
    const pending = new PendingEvents(stored, this.#tombstones, name, createdAt);
    this.#collections.set(name, pending);
    return pending;
  }

  /**
   * Resolves when none of the events can be lost any more. @param known nodes that need not be looked up
   * @returns whether they are published; otherwise the sweep publishes them
   */
  async publish(unpublished: readonly UnpublishedEvents[], known: readonly TypedNode[] = []): Promise<boolean> {
    try {
      await this.send(
        unpublished.flatMap(({ events }) => events),
        known,
      );
    } catch (error) {
      this.#failed(error);
      return false;
    }
    for (const { published } of unpublished) this.#write(published());
    return true;
  }

  /** Like `publish`, for a caller that deletes the pending events itself. @throws when they are not published */
  async send(events: readonly PendingEvent[], known: readonly TypedNode[] = []): Promise<void> {
    if (events.length > 0) await this.#outbox.publish(await this.#publications(events, known));
  }

  /** Skips events of deleted nodes: the deletion has an event of its own. */
  async #publications(events: readonly PendingEvent[], known: readonly TypedNode[]): Promise<Publication[]> {
    const nodes = new Map(known.map((node) => [node.id, node]));
    const untyped = events.filter((event) => !isComplete(event) && event.nodeType === undefined);
    const unknown = nodesIn(untyped).filter((node) => !nodes.has(node));
    for (const node of await byIds(this.#nodes, [...new Set(unknown)])) nodes.set(node.id, node);
    return events.flatMap((event) => {
      if (isComplete(event)) return completePublications(event);
      const node = event.nodeType === undefined ? nodes.get(event.node) : { type: event.nodeType, owner: event.owner };
      return node === undefined ? [] : [nodePublication(event, node.type, node.owner ?? undefined)];
    });
  }

  #write(published: Promise<unknown>): void {
    const written = published.catch(this.#failed).then(() => void this.#writing.delete(written));
    this.#writing.add(written);
  }

  /** Called by the lease holder. @param minAgeMs as in `PendingEvents.abandoned` */
  async sweep(minAgeMs: number): Promise<void> {
    for (const pending of this.#collections.values()) {
      for await (const group of groups(pending.abandonedEvents(minAgeMs), CHANGES_PER_GROUP)) await this.publish(group);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
