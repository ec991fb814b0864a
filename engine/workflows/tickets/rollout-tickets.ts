/**
 * The tickets of rollouts.
 *
 * 1. A rollout is compared with its ticket when it is created, and keeps the ticket for itself: nothing else can use it then.
 * 2. It uses the ticket before its first target begins. Each launch is compared again (`launch-approvals.ts`).
 */
import type { PlannedWork } from '../approvals/planned-work.ts';
import type { TicketChanges } from '../approvals/ticket-changes.ts';
import { reservedFor, usedFor } from '../approvals/ticket-state.ts';
import type { GatedLaunch, LaunchApprovals } from '../requests/launch-approvals.ts';
import type { NewRollout } from '../rollouts/rollout-creation.ts';
import type { StoredRollout } from '../rollouts/stored-rollout.ts';

export class RolloutTickets {
  readonly #approvals: LaunchApprovals;
  readonly #tickets: TicketChanges;

  constructor(approvals: LaunchApprovals, tickets: TicketChanges) {
    this.#approvals = approvals;
    this.#tickets = tickets;
  }

  /** Returns what the rollout would do to each of its targets. */
  worksOf({ rollout, targets }: NewRollout): Promise<PlannedWork[]> {
    return this.#approvals.worksOf(targets.map(({ node, definitionHash }) => launchOf(rollout, node, definitionHash)));
  }

  /** Keeps its ticket for a rollout. @throws NodewrightError TICKET_REQUIRED, TICKET_MISMATCH, NOT_FOUND (ticket) */
  async admit(draft: NewRollout): Promise<void> {
    const { rollout } = draft;
    if (rollout.ticket === null) return this.#rejectUnapproved(draft);
    const works = await this.worksOf(draft);
    const { id } = await this.#approvals.ticketOfMany(rollout.ticket, 'rollout', works, rollout.options, rollout.owner);
    await this.#tickets.change(id, (current) => reservedFor(current, userOf(rollout)));
  }

  /** Uses the ticket of a rollout if it is approved. @returns whether its targets may begin */
  async take(rollout: StoredRollout): Promise<boolean> {
    if (rollout.ticket === null) return true;
    const ticket = await this.#tickets.get(rollout.ticket);
    if (ticket?.status === 'used') return ticket.usedBy === userOf(rollout);
    if (ticket?.status !== 'approved') return false;
    const used = await this.#tickets.change(ticket.id, (current, at) => usedFor(current, userOf(rollout), at));
    if (used !== undefined) await this.#tickets.publish(used);
    return used !== undefined;
  }

  /** A SKU may have a version of the graph of its own. */
  async #rejectUnapproved({ rollout, targets }: NewRollout): Promise<void> {
    for (const hash of new Set(targets.map(({ definitionHash }) => definitionHash))) {
      const nodes = targets.filter(({ definitionHash }) => definitionHash === hash).map(({ node }) => node);
      await this.#approvals.rejectUnapproved(launchOf(rollout, null, hash), nodes);
    }
  }
}

const userOf = ({ id }: StoredRollout): string => `rollouts/${id}`;

const launchOf = (rollout: StoredRollout, node: string | null, hash = rollout.definitionHash): GatedLaunch => ({
  id: rollout.id,
  name: rollout.graph,
  node,
  options: rollout.options,
  definitionHash: hash,
});
