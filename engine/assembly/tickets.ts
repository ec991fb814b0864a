/** Opens the requests for tickets. */

import { retention } from '../platform/cluster/retention.ts';
import { TicketRequests } from '../workflows/tickets/ticket-requests.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openRollouts } from './rollouts.ts';
import type { openWorkflows } from './workflows.ts';

const TICKET_INTERVAL_MS = 1_000;

type Work = Awaited<ReturnType<typeof openWorkflows>>;

export function openTickets(
  { config, cluster, failedIn }: Foundation,
  { nodes }: Inventory,
  { storedTickets, tickets, approvals, plans, preparation }: Work,
  rollouts: Awaited<ReturnType<typeof openRollouts>>,
) {
  const requests = new TicketRequests({
    stored: storedTickets,
    changes: tickets,
    approvals,
    plans,
    rollouts: rollouts.requests,
    worksOf: (draft) => rollouts.tickets.worksOf(draft),
    nodes: nodes.nodes,
    encrypt: (name, options) => preparation.optionsToStore(name, options),
  });
  const reconciler = cluster.reconciler({
    name: 'tickets',
    everyMs: TICKET_INTERVAL_MS,
    pass: () => tickets.publishLeft(),
    failed: failedIn('tickets'),
  });
  const tidying = retention(cluster, {
    name: 'tickets',
    days: config.workflowRetentionDays,
    async removeBefore(before) {
      const ended = { status: { $nin: ['requested', 'approved'] }, pending: false, updatedAt: { $lt: before } };
      await storedTickets.remove(ended);
    },
    failed: failedIn('ticket retention'),
  });
  return { requests, stored: storedTickets, work: [reconciler, tidying] };
}
