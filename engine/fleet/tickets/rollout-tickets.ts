/**
 * The tickets of rollouts.
 *
 * 1. A rollout is compared with its ticket when it is created, and keeps the ticket for itself: nothing else can use it then.
 * 2. It uses the ticket before its first target begins. Each launch is compared again (`launch-approvals.ts`).
 */
import { pause } from '../../platform/lib/pause.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import type { PlannedWork } from '../../workflows/approvals/planned-work.ts';
import type { TicketChanges } from '../../workflows/approvals/ticket-changes.ts';
import { reservedFor, usedFor } from '../../workflows/approvals/ticket-state.ts';
import {
  type GatedLaunch,
  type LaunchApprovals,
  ticketMismatch,
  ticketRequired,
  unknownTicket,
} from '../../workflows/requests/launch-approvals.ts';
import type { NewRollout } from '../rollouts/rollout-creation.ts';
import type { StoredRollout } from '../rollouts/stored-rollout.ts';

const WORKS_AT_A_TIME = 20;

export class RolloutTickets {
  readonly #approvals: LaunchApprovals;
  readonly #tickets: TicketChanges;

  constructor(approvals: LaunchApprovals, tickets: TicketChanges) {
    this.#approvals = approvals;
    this.#tickets = tickets;
  }

  /** Returns what the rollout would do to each of its targets. */
  async worksOf({ rollout, targets }: NewRollout): Promise<PlannedWork[]> {
    const works: PlannedWork[] = [];
    for (let at = 0; at < targets.length; at += WORKS_AT_A_TIME) {
      await pause();
      const some = targets.slice(at, at + WORKS_AT_A_TIME);
      const planned = some.map(({ node, definitionHash }) =>
        this.#approvals.workOf(launchOf(rollout, node, definitionHash)),
      );
      works.push(...(await Promise.all(planned)));
    }
    return works;
  }

  /** Keeps its ticket for a rollout. @throws NodewrightError TICKET_REQUIRED, TICKET_MISMATCH, NOT_FOUND (ticket) */
  async admit(draft: NewRollout): Promise<void> {
    const { rollout } = draft;
    if (rollout.ticket === null) return this.#rejectUnapproved(draft);
    const ticket = await this.#tickets.get(rollout.ticket);
    if (ticket === undefined) throw unknownTicket(rollout.ticket);
    if (ticket.kind !== 'rollout')
      throw ticketMismatch(ticket, [{ path: 'ticket', message: 'is for a launch; found a rollout' }]);
    const works = await this.worksOf(draft);
    const nodes = new Set(works.map(({ node }) => node));
    const lacking = ticket.works.filter(({ node }) => !nodes.has(node));
    const differences = [
      ...works.flatMap((work) => this.#approvals.differences(ticket, work, rollout.options)),
      ...lacking.map(({ node }) => ({ path: 'targets', message: `lack the node ${node}, which the ticket names` })),
    ];
    if (differences.length > 0) throw ticketMismatch(ticket, uniqueViolations(differences));
    await this.#tickets.change(ticket.id, (current) => reservedFor(current, userOf(rollout)));
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

  /** Targets are looked at one by one only if a version of the graph could need a ticket on some node. */
  async #rejectUnapproved(draft: NewRollout): Promise<void> {
    if (!this.#approvals.hasRules) return;
    const { rollout, targets } = draft;
    const isNeeded = async (work: PlannedWork) => (await this.#approvals.needed(work)) !== undefined;
    const hashes = new Set(targets.map(({ definitionHash }) => definitionHash));
    const versions = [...hashes].map(async (hash) =>
      isNeeded(await this.#approvals.workOf(launchOf(rollout, null, hash))),
    );
    if (!(await Promise.all(versions)).includes(true)) return;
    for (const work of await this.worksOf(draft)) if (await isNeeded(work)) throw ticketRequired(rollout.graph);
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

/** Options are compared for each node. */
const uniqueViolations = (all: readonly Violation[]): Violation[] => [
  ...new Map(all.map((violation) => [`${violation.path} ${violation.message}`, violation])).values(),
];
