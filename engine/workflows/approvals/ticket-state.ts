/** The changes of a ticket: from one state to the next, or a rejection with the state. Pure. */
import type { TicketActor } from '../../api-port/tickets.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { ActionOf } from '../../vocabulary/event-list.ts';
import type { StoredTicket } from './stored-ticket.ts';

/** ISO 8601. */
type Time = string;

const isOpen = ({ status }: StoredTicket): boolean => status === 'requested' || status === 'approved';

const withEvent = (ticket: StoredTicket, action: ActionOf<'ticket'>, by: string | null, at: Time): StoredTicket => {
  const n = ticket.events + 1;
  const { status } = ticket;
  return { ...ticket, events: n, unpublished: [...ticket.unpublished, { n, at, action, status, by }], pending: true };
};

export const requestedTicket = (ticket: StoredTicket): StoredTicket =>
  withEvent(ticket, 'requested', ticket.requestedBy, ticket.createdAt);

/** @returns the ticket, expired if its time is over */
export const expiredAt = (ticket: StoredTicket, at: Time): StoredTicket =>
  isOpen(ticket) && ticket.expiresAt <= at ? withEvent({ ...ticket, status: 'expired' }, 'expired', null, at) : ticket;

/** @throws NodewrightError FORBIDDEN for the requester's own user or token, CONFLICT */
export function approvedBy(ticket: StoredTicket, by: TicketActor, note: string | null, at: Time): StoredTicket {
  if (ticket.status !== 'requested') throw senseless(ticket, 'approve', 'a requested one');
  const { username, tokenId } = by;
  const isOwn = username === ticket.requestedBy || (tokenId !== null && tokenId === ticket.requestToken);
  if (username === null || isOwn) throw forbiddenCommand('is for another user than the one who asked for the ticket');
  if (ticket.approvals.some((one) => one.by === username))
    throw new NodewrightError(
      'CONFLICT',
      `${username} has approved the ticket ${ticket.id} already; expected another user`,
    );
  const approvals = [...ticket.approvals, { by: username, at, note }];
  if (approvals.length < ticket.needed.approvals) return { ...ticket, approvals };
  return withEvent({ ...ticket, approvals, status: 'approved' }, 'approved', username, at);
}

/** @throws NodewrightError CONFLICT */
export function rejectedBy(
  ticket: StoredTicket,
  { username }: TicketActor,
  note: string | null,
  at: Time,
): StoredTicket {
  if (!isOpen(ticket)) throw senseless(ticket, 'reject', 'a requested or approved one');
  const rejection = { by: username, at, note };
  return withEvent({ ...ticket, status: 'rejected', rejection }, 'rejected', username, at);
}

/** @throws NodewrightError FORBIDDEN for any other user than the requester, CONFLICT */
export function withdrawnBy(ticket: StoredTicket, { username }: TicketActor): StoredTicket {
  if (username !== ticket.requestedBy) throw forbiddenCommand('is for the user who asked for the ticket');
  if (!isOpen(ticket)) throw senseless(ticket, 'withdraw', 'a requested or approved one');
  return { ...ticket, status: 'withdrawn' };
}

/** Keeps the ticket for a rollout, which uses it as soon as it is approved. @throws NodewrightError TICKET_REQUIRED */
export function reservedFor(ticket: StoredTicket, user: string): StoredTicket {
  if (!isOpen(ticket) || (ticket.usedBy !== null && ticket.usedBy !== user)) throw unusableTicket(ticket);
  return { ...ticket, usedBy: user };
}

/** @throws NodewrightError TICKET_REQUIRED unless it is approved, or used by the same */
export function usedFor(ticket: StoredTicket, user: string, at: Time): StoredTicket {
  if (ticket.status === 'used' && ticket.usedBy === user) return ticket;
  if (ticket.status !== 'approved' || (ticket.usedBy !== null && ticket.usedBy !== user)) throw unusableTicket(ticket);
  return withEvent({ ...ticket, status: 'used', usedBy: user }, 'used', ticket.requestedBy, at);
}

/** Takes back a use of which nothing came: its event has not been published. */
export function unusedBy(ticket: StoredTicket, user: string): StoredTicket {
  if (ticket.status !== 'used' || ticket.usedBy !== user) return ticket;
  const unpublished = ticket.unpublished.filter(({ action }) => action !== 'used');
  return { ...ticket, status: 'approved', usedBy: null, unpublished, pending: unpublished.length > 0 };
}

/** The ticket cannot be used in its state. */
function unusableTicket({ id, status, usedBy }: StoredTicket): NodewrightError {
  const user = usedBy === null ? '' : ` by ${usedBy}`;
  const state = status === 'used' || usedBy === null ? status : `kept for ${usedBy}, and ${status}`;
  const message = `the ticket ${id} is ${status === 'used' ? `used${user}` : state}; expected an approved one that was not used`;
  return new NodewrightError('TICKET_REQUIRED', message, { violations: [{ path: 'ticket', message }] });
}

const forbiddenCommand = (message: string) =>
  new NodewrightError('FORBIDDEN', 'Forbidden', { violations: [{ path: 'command', message }] });

const senseless = ({ id, status }: StoredTicket, command: string, expected: string) =>
  new NodewrightError('CONFLICT', `the ticket ${id} is ${status}; ${command} needs ${expected}`);
