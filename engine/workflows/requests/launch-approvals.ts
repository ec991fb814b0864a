/**
 * LaunchApprovals: the gate through which every start of a workflow passes: by a request, a retry, a batch, a rollout, a schedule, a
 * rule, a discovery, or a workflow. A launch that the key `approvals` names starts only under a ticket that
 * other users approved.
 *
 * 1. A launch is compared with its ticket each time: versions of graphs, options, node, and the serial numbers of the drives whose
 *    content it destroys.
 * 2. A launch uses its ticket up. A rollout and a batch use one for all of their nodes, and each launch of them is compared again.
 * 3. A child of a workflow with a ticket needs none if the ticket covers it: its graph was known when the ticket was made.
 * 4. Members of a team use tickets of the team. Others do not exist for them.
 * 5. A graph that a task names only as it runs passes the gate when it starts, as a child.
 */
import type { Nodes } from '../../api-port/nodes.ts';
import type { TicketGrant } from '../../durable/actors/messages.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { pause } from '../../platform/lib/pause.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { NodewrightError, type Violation, violationList } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { type NeededApproval, neededApproval, type ReadRule } from '../approvals/approval-rules.ts';
import { isAmong } from '../approvals/launch-matching.ts';
import {
  isPartOf,
  optionDifferences,
  type PlannedWork,
  rejectUnknownDrives,
  workDifferences,
} from '../approvals/planned-work.ts';
import type { StoredTicket } from '../approvals/stored-ticket.ts';
import type { TicketChanges } from '../approvals/ticket-changes.ts';
import { unusedBy, usedFor } from '../approvals/ticket-state.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { LaunchPreparation } from './launch-preparation.ts';

interface Dependencies {
  rules: readonly ReadRule[];
  preparation: Pick<LaunchPreparation, 'plannedWork'>;
  nodes: Pick<Nodes, 'list'>;
  vault: Pick<Vault, 'decrypt'>;
  tickets: TicketChanges;
}

/** A launch, as far as the gate has to know it. */
export type GatedLaunch = Pick<
  CheckedLaunch,
  'id' | 'name' | 'node' | 'options' | 'ticket' | 'team' | 'rollout' | 'batch' | 'definitionHash' | 'retry'
>;

/** The permission of one launch to start. */
export interface TicketUse {
  /** Absent: it needs no ticket. */
  grant?: TicketGrant;
  /** The launch was rejected. */
  giveBack(): Promise<void>;
  /** The workflow has started. */
  confirm(): Promise<void>;
}

const WORKS_AT_A_TIME = 20;

const noTicket: TicketUse = { giveBack: async () => {}, confirm: async () => {} };

export class LaunchApprovals {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Uses the ticket of the launch. @throws NodewrightError TICKET_REQUIRED, TICKET_MISMATCH, NOT_FOUND (ticket) */
  async pass(launch: GatedLaunch): Promise<TicketUse> {
    const ticket = await this.#ticketFor(launch);
    if (ticket === undefined) return noTicket;
    const { tickets } = this.#deps;
    const user = ticketUserOf(launch);
    const used = await tickets.change(ticket.id, (current, at) => usedFor(current, user, at));
    if (used === undefined) throw unknownTicket(ticket.id);
    const isShared = kindOf(launch) !== 'launch';
    return {
      grant: grantOf(used),
      giveBack: async () => void (isShared || (await tickets.change(used.id, (one) => unusedBy(one, user)))),
      confirm: () => tickets.publish(used),
    };
  }

  /** @throws NodewrightError as `pass`; nothing is used */
  async check(launch: GatedLaunch): Promise<void> {
    const ticket = await this.#ticketFor(launch);
    if (ticket !== undefined && kindOf(launch) === 'launch') usedFor(ticket, ticketUserOf(launch), '');
  }

  /** @throws NodewrightError DRIVE_SERIAL_UNKNOWN if the launch needs a ticket, which could not name its drives */
  async checkDrives(launch: GatedLaunch): Promise<void> {
    if (!this.hasRules) return;
    const work = await this.workOf(launch);
    if ((await this.needed(work)) !== undefined) rejectUnknownDrives([work]);
  }

  /** @throws NodewrightError TICKET_REQUIRED */
  async passChild(launch: GatedLaunch, { ticket: grant }: WorkflowRow): Promise<TicketUse> {
    if (this.#deps.rules.length === 0 && grant === undefined) return noTicket;
    const work = await this.workOf(launch);
    const ticket = grant && (await this.#deps.tickets.get(grant.id));
    const approved = ticket?.works.find(({ node }) => node === work.node);
    if (grant !== undefined && approved !== undefined && isPartOf(approved, work)) return { ...noTicket, grant };
    if ((await this.needed(work)) === undefined) return noTicket;
    throw ticketRequired(launch.name);
  }

  /** Whether the configuration has rules. */
  get hasRules(): boolean {
    return this.#deps.rules.length > 0;
  }

  /**
   * Rejects launches on many nodes if one of them needs a ticket. They are looked at one by one only if the launch could need one on
   * some node. @param nodes undefined: not known yet @throws NodewrightError TICKET_REQUIRED
   */
  async rejectUnapproved(launch: GatedLaunch, nodes: readonly string[] | undefined): Promise<void> {
    if (!this.hasRules || (await this.needed(await this.workOf({ ...launch, node: null }))) === undefined) return;
    if (nodes === undefined) throw ticketRequired(launch.name);
    for (const work of await this.worksOf(nodes.map((node) => ({ ...launch, node }))))
      if ((await this.needed(work)) !== undefined) throw ticketRequired(launch.name);
  }

  workOf(launch: GatedLaunch): Promise<PlannedWork> {
    return this.#deps.preparation.plannedWork(launch);
  }

  async worksOf(launches: readonly GatedLaunch[]): Promise<PlannedWork[]> {
    const works: PlannedWork[] = [];
    for (let at = 0; at < launches.length; at += WORKS_AT_A_TIME) {
      await pause();
      const planned = launches.slice(at, at + WORKS_AT_A_TIME).map((launch) => this.workOf(launch));
      works.push(...(await Promise.all(planned)));
    }
    return works;
  }

  /** @returns undefined if the work needs no ticket; without a node it needs what it would need on any */
  needed(work: PlannedWork): Promise<NeededApproval | undefined> {
    return neededApproval(this.#deps.rules, work, isAmong(this.#deps.nodes, work.node));
  }

  /**
   * Returns the ticket of a batch or a rollout, whose work it is for.
   * @param team that of the member who asks
   * @throws NodewrightError TICKET_MISMATCH, NOT_FOUND (ticket)
   */
  async ticketOfMany(
    id: string,
    kind: StoredTicket['kind'],
    works: readonly PlannedWork[],
    options: JsonObject,
    team: string | undefined,
  ): Promise<StoredTicket> {
    const ticket = await this.#ticketOf(id, team);
    rejectKind(ticket, kind);
    const nodes = new Set(works.map(({ node }) => node));
    const lacking = ticket.works.filter(({ node }) => !nodes.has(node));
    const differences = [
      ...works.flatMap((work) => this.differences(ticket, work, options)),
      ...lacking.map(({ node }) => ({ path: 'targets', message: `lack the node ${node}, which the ticket names` })),
    ];
    if (differences.length > 0) throw ticketMismatch(ticket, uniqueViolations(differences));
    return ticket;
  }

  /** Uses the ticket of a batch up, for all of its launches. @throws NodewrightError TICKET_REQUIRED, and as `ticketOfMany` */
  async admitBatch(batch: GatedLaunch & { ticket: string }, nodes: readonly string[]): Promise<void> {
    const works = await this.worksOf(nodes.map((node) => ({ ...batch, node })));
    const { id } = await this.ticketOfMany(batch.ticket, 'batch', works, batch.options, batch.team);
    const user = ticketUserOf(batch);
    const used = await this.#deps.tickets.change(id, (current, at) => usedFor(current, user, at));
    if (used !== undefined) await this.#deps.tickets.publish(used);
  }

  /** Returns what differs from the ticket, for one of its nodes. */
  differences(ticket: StoredTicket, work: PlannedWork, options: JsonObject): Violation[] {
    const approved = ticket.works.find(({ node }) => node === work.node);
    if (approved === undefined)
      return [{ path: 'node', message: `is ${work.node ?? 'none'}, which the ticket does not name` }];
    const open = (value: JsonObject) => this.#deps.vault.decrypt(value).value;
    return [...workDifferences(approved, work), ...optionDifferences(open(ticket.options), open(options))];
  }

  /** @param team that of the member who launches @throws NodewrightError NOT_FOUND (ticket) */
  async #ticketOf(id: string, team: string | undefined): Promise<StoredTicket> {
    const ticket = await this.#deps.tickets.get(id);
    if (ticket === undefined || (team !== undefined && ticket.owner !== team)) throw unknownTicket(id);
    return ticket;
  }

  /** @returns undefined: the launch has none, and needs none */
  async #ticketFor(launch: GatedLaunch): Promise<StoredTicket | undefined> {
    if (launch.ticket === undefined && !this.hasRules) return undefined;
    const work = await this.workOf(launch);
    const needed = await this.needed(work);
    if (launch.ticket === undefined) {
      if (needed !== undefined) throw ticketRequired(launch.name);
      return undefined;
    }
    const ticket = await this.#ticketOf(launch.ticket, launch.team);
    rejectKind(ticket, kindOf(launch));
    const differences = this.differences(ticket, work, launch.options);
    if (differences.length > 0) throw ticketMismatch(ticket, differences);
    const missing = (needed?.approvals ?? 0) - ticket.needed.approvals;
    if (missing > 0)
      throw ticketMismatch(ticket, [{ path: 'approvals', message: `are ${missing} less than the launch needs` }]);
    return ticket;
  }
}

const kindOf = ({ rollout, batch }: GatedLaunch): StoredTicket['kind'] =>
  rollout !== undefined ? 'rollout' : batch === undefined ? 'launch' : 'batch';

function ticketUserOf({ id, rollout, batch }: GatedLaunch): string {
  if (rollout !== undefined) return `rollouts/${rollout.id}`;
  return batch === undefined ? `workflows/${id}` : `batches/${batch}`;
}

/**
 * A batch of one node and a launch on it are the same work.
 * @throws NodewrightError TICKET_MISMATCH
 */
function rejectKind(ticket: StoredTicket, kind: StoredTicket['kind']): void {
  const isOneLaunch = ticket.works.length === 1 && ![ticket.kind, kind].includes('rollout');
  if (ticket.kind !== kind && !isOneLaunch)
    throw ticketMismatch(ticket, [{ path: 'ticket', message: `is for a ${ticket.kind}; found a ${kind}` }]);
}

/** Options are compared for each node. */
const uniqueViolations = (all: readonly Violation[]): Violation[] => [
  ...new Map(all.map((violation) => [`${violation.path} ${violation.message}`, violation])).values(),
];

const grantOf = ({ id, requestedBy, approvals }: StoredTicket): TicketGrant => ({ id, requestedBy, approvals });

const ticketRequired = (graph: string) =>
  new NodewrightError('TICKET_REQUIRED', `${graph} needs an approved ticket; ask for one with POST /tickets`, {
    violations: [{ path: 'ticket', message: 'is missing; another user has to approve the plan first' }],
  });

function unknownTicket(id: string): NodewrightError {
  const message = `no ticket has the id ${id}`;
  return new NodewrightError('NOT_FOUND', message, { violations: [{ path: 'ticket', message }] });
}

const ticketMismatch = ({ id }: StoredTicket, violations: readonly Violation[]) =>
  new NodewrightError('TICKET_MISMATCH', `the ticket ${id} is for another plan: ${violationList(violations)}`, {
    violations,
  });
