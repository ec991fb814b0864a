/**
 * Reads and changes tickets, and publishes their events.
 *
 * 1. A ticket changes by compare-and-set: of two launches with one ticket, one uses it.
 * 2. A ticket is used before its launch begins. If the process dies in between, nothing was launched, and the ticket stays used: a
 *    launch is never made twice under it. A launch that was rejected gives the ticket back.
 * 3. An event is saved with its change, and published after it under an id of its own. `publishLeft` publishes it again after a crash.
 * 4. A ticket whose time is over counts as expired before the pass that says so.
 */
import type { Outbox } from '../../events/broker/outbox.ts';
import { now } from '../../platform/lib/clock.ts';
import { uuidOf } from '../../platform/lib/derived-uuid.ts';
import { pages } from '../../platform/store/pages.ts';
import type { Collection } from '../../platform/store/port.ts';
import { changeVersioned } from '../../platform/store/versioned.ts';
import { type Publication, publicationOf } from '../../vocabulary/event.ts';
import type { StoredTicket, TicketEventNote } from './stored-ticket.ts';
import { expiredAt } from './ticket-state.ts';

/** The age from which an event counts as left by a process that died. */
const LEFT_MS = 10_000;

const timeAt = (ms: number): string => new Date(ms).toISOString();

type ChangeTicket = (ticket: StoredTicket, at: string) => StoredTicket;

export class TicketChanges {
  readonly #stored: Collection<StoredTicket>;
  readonly #outbox: Pick<Outbox, 'publish'>;

  constructor(stored: Collection<StoredTicket>, outbox: Pick<Outbox, 'publish'>) {
    this.#stored = stored;
    this.#outbox = outbox;
  }

  async get(id: string): Promise<StoredTicket | undefined> {
    const ticket = await this.#stored.get(id);
    return ticket && expiredAt(ticket, timeAt(now()));
  }

  /** @throws what `next` throws @returns undefined if there is no such ticket */
  change(id: string, next: ChangeTicket): Promise<StoredTicket | undefined> {
    return this.#save(id, (ticket, at) => {
      const changed = next(expiredAt(ticket, at), at);
      return changed === ticket ? ticket : { ...changed, updatedAt: at };
    });
  }

  #save(id: string, next: ChangeTicket): Promise<StoredTicket | undefined> {
    return changeVersioned(this.#stored, 'ticket', id, (ticket) => next(ticket, timeAt(now())));
  }

  /** Publishes the events of a ticket that wait in it. */
  async publish(ticket: StoredTicket): Promise<void> {
    const { id, unpublished } = ticket;
    if (unpublished.length === 0) return;
    await this.#outbox.publish(unpublished.map((note) => publicationFor(ticket, note)));
    const published = new Set(unpublished.map(({ n }) => n));
    await this.#save(id, (current) => {
      const remaining = current.unpublished.filter(({ n }) => !published.has(n));
      return { ...current, unpublished: remaining, pending: remaining.length > 0 };
    });
  }

  /** Ends the tickets whose time is over, and publishes the events that a process left. */
  async publishLeft(): Promise<void> {
    const at = now();
    const over = { status: { $in: ['requested', 'approved'] }, expiresAt: { $lte: timeAt(at) } };
    for await (const { id } of pages(this.#stored, over)) {
      const expired = await this.change(id, (ticket) => ticket);
      if (expired !== undefined) await this.publish(expired);
    }
    const unsent = { pending: true, updatedAt: { $lt: timeAt(at - LEFT_MS) } };
    for await (const ticket of pages(this.#stored, unsent)) await this.publish(ticket);
  }
}

function publicationFor(ticket: StoredTicket, { n, at, action, status, by }: TicketEventNote): Publication {
  const { id, graph, works, requestedBy, owner, approvals, expiresAt } = ticket;
  return publicationOf({
    id: uuidOf(`${id} event ${n}`),
    version: '1.0',
    type: 'ticket',
    action,
    severity: action === 'rejected' || action === 'expired' ? 'warning' : 'information',
    typeId: id,
    createdAt: at,
    nodeId: null,
    ...(owner !== undefined && { owner }),
    data: {
      ticketId: id,
      graph,
      status,
      by,
      nodes: works.flatMap(({ node }) => node ?? []),
      requestedBy,
      approvals,
      expiresAt,
    },
  });
}
