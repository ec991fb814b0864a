/** Tickets as stored. A ticket changes by compare-and-set only; its events wait in it until they are published. */
import type { LaunchPlan } from '../../api-port/launch-plans.ts';
import type { RolloutPlanRecord } from '../../api-port/rollouts.ts';
import type { TicketKind } from '../../api-port/tickets.ts';
import type { TicketGrant } from '../../durable/actors/messages.ts';
import type { CollectionSpec, VersionedDocument } from '../../platform/store/port.ts';
import type { ActionOf } from '../../vocabulary/event-list.ts';
import type { TicketStatus } from '../../vocabulary/states.ts';
import type { NeededApproval } from './approval-rules.ts';
import type { PlannedWork } from './planned-work.ts';

export interface TicketEventNote {
  n: number;
  at: string;
  action: ActionOf<'ticket'>;
  status: TicketStatus;
  by: string | null;
}

export interface StoredTicket extends VersionedDocument {
  kind: TicketKind;
  graph: string;
  status: TicketStatus;
  /** By label; secrets are encrypted. */
  options: Record<string, unknown>;
  /** By node. */
  works: (PlannedWork & { name: string | null })[];
  /** As the users see it. */
  plan: LaunchPlan | RolloutPlanRecord;
  planHash: string;
  needed: NeededApproval;
  requestedBy: string | null;
  /** The team whose member asked; absent: a user of the whole site. */
  owner?: string;
  /** The token of the request; null: none. */
  requestToken: string | null;
  approvals: TicketGrant['approvals'];
  /** Absent: it was not rejected. */
  rejection?: TicketGrant['approvals'][number];
  /** The launch that uses it, or will as soon as it is approved: `workflows/<id>`, `batches/<id>` or `rollouts/<id>`; null: none yet. */
  usedBy: string | null;
  unpublished: TicketEventNote[];
  /** `unpublished` is not empty. */
  pending: boolean;
  /** The number of its events so far, of which their ids are made. */
  events: number;
  createdAt: string;
  updatedAt: string;
  expiresAt: string;
}

export const ticketSpec: CollectionSpec = {
  name: 'tickets',
  indexes: {
    status: 'text',
    pending: 'boolean',
    requestedBy: 'text',
    graph: 'text',
    owner: 'text',
    expiresAt: 'text',
    createdAt: 'text',
  },
  scanned: { planHash: 'text', usedBy: 'text', updatedAt: 'text' },
};
