/** Opens the requests for tickets, and checks the roles that the configuration names. */
import { TicketRequests } from '../fleet/tickets/ticket-requests.ts';
import { roleSpec, type StoredRole } from '../operations/users/user-requests.ts';
import { retention } from '../platform/cluster/retention.ts';
import { byIds } from '../platform/store/pages.ts';
import { NodewrightError } from '../vocabulary/errors.ts';
import { builtInRoles } from '../vocabulary/roles.ts';
import type { Foundation } from './foundation.ts';
import type { Inventory } from './inventory.ts';
import type { openRollouts } from './rollouts.ts';
import type { openWorkflows } from './workflows.ts';

const TICKET_INTERVAL_MS = 1_000;

type Work = Awaited<ReturnType<typeof openWorkflows>>;

/** @throws NodewrightError CONFIG_INVALID for a role that does not exist */
export async function checkApprovalRoles({ config, store }: Pick<Foundation, 'config' | 'store'>): Promise<void> {
  const named = config.approvals.flatMap(({ roles = [] }, at) => roles.map((role) => ({ role, at })));
  if (named.length === 0) return;
  const roles = await store.collection<StoredRole>(roleSpec);
  const stored = await byIds(
    roles,
    named.map(({ role }) => role),
  );
  const names = new Set([...builtInRoles.keys(), ...stored.map(({ id }) => id)]);
  const unknown = named.find(({ role }) => !names.has(role));
  if (unknown === undefined) return;
  const { at, role } = unknown;
  const message = `configuration: approvals.${at}.roles has ${JSON.stringify(role)}, which is no role; create it, or correct the name`;
  throw new NodewrightError('CONFIG_INVALID', message);
}

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
  return { requests, work: [reconciler, tidying] };
}
