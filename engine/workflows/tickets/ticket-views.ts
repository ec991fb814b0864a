/** Tickets as the API has them. */
import type { TicketRecord } from '../../api-port/tickets.ts';
import type { StoredTicket } from '../approvals/stored-ticket.ts';

export function ticketView(ticket: StoredTicket): TicketRecord {
  const { id, kind, graph, status, plan, planHash, works, needed, requestedBy, approvals, rejection } = ticket;
  const { usedBy, owner, createdAt, updatedAt, expiresAt } = ticket;
  return {
    id,
    kind,
    graph,
    status,
    plan,
    planHash,
    subjects: works.flatMap(({ node, name, drives }) => (node === null ? [] : [{ node, name, drives }])),
    needed: { approvals: needed.approvals, roles: needed.roles },
    requestedBy,
    approvals,
    rejection: rejection ?? null,
    usedBy,
    createdBy: requestedBy,
    ...(owner !== undefined && { owner }),
    createdAt,
    updatedAt,
    expiresAt,
  };
}
