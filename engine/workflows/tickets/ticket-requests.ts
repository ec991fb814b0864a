/** Requests of users to tickets: creation, reads, commands. Launches use them (`launch-approvals.ts`), and so do rollouts. */
import { createHash, randomUUID } from 'node:crypto';
import { type LaunchPlan, type LaunchPlans, userRejections } from '../../api-port/launch-plans.ts';
import type { Nodes } from '../../api-port/nodes.ts';
import type { Page, PagedList } from '../../api-port/page.ts';
import type { RolloutPlanRecord, RolloutRequest } from '../../api-port/rollouts.ts';
import type { TicketAction, TicketActor, TicketRecord, TicketRequest, Tickets } from '../../api-port/tickets.ts';
import { now } from '../../platform/lib/clock.ts';
import type { Collection } from '../../platform/store/port.ts';
import { type ErrorCode, errorMeanings } from '../../vocabulary/error-codes.ts';
import { NodewrightError } from '../../vocabulary/errors.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import { type NeededApproval, strictest, usualApproval } from '../approvals/approval-rules.ts';
import { type PlannedWork, rejectUnknownDrives } from '../approvals/planned-work.ts';
import type { StoredTicket } from '../approvals/stored-ticket.ts';
import type { TicketChanges } from '../approvals/ticket-changes.ts';
import { approvedBy, rejectedBy, requestedTicket, withdrawnBy } from '../approvals/ticket-state.ts';
import type { LaunchApprovals } from '../requests/launch-approvals.ts';
import type { NewRollout } from '../rollouts/rollout-creation.ts';
import type { RolloutRequests } from '../rollouts/rollout-requests.ts';
import { ticketView } from './ticket-views.ts';

export interface TicketsScope {
  stored: Collection<StoredTicket>;
  changes: TicketChanges;
  approvals: Pick<LaunchApprovals, 'workOf' | 'needed'>;
  plans: LaunchPlans;
  rollouts: Pick<RolloutRequests, 'draft' | 'planOf'>;
  /** Returns what a rollout would do to each of its targets. */
  worksOf(draft: NewRollout): Promise<PlannedWork[]>;
  nodes: Pick<Nodes, 'list'>;
  /** Encrypts the secrets of options. */
  encrypt(graph: string, options: JsonObject): Promise<JsonObject>;
}

/** Tickets that are requested or approved. */
const OPEN_LIMIT = 1_000;
/** Nodes of one ticket, which names each. */
const NODES_PER_TICKET = 1_000;
/** These may be gone when the ticket is used. */
const PASSING: readonly string[] = ['NODE_BUSY', 'NODE_HELD', ...userRejections];

/** The plan that a ticket is for. */
interface TicketPlan extends Pick<StoredTicket, 'kind' | 'graph' | 'options' | 'plan'> {
  works: PlannedWork[];
}

export class TicketRequests implements Tickets {
  readonly #port: TicketsScope;

  constructor(port: TicketsScope) {
    this.#port = port;
  }

  async create(request: TicketRequest, { username, tokenId }: TicketActor): Promise<TicketRecord> {
    const planned = await this.#planOf(request);
    const { team } = requestIn(request);
    const { works } = planned;
    rejectUnknownDrives(works);
    const needed = await this.#needed(works);
    const open = await this.#port.stored.count({ status: { $in: ['requested', 'approved'] } });
    if (open >= OPEN_LIMIT)
      throw new NodewrightError('TOO_MANY_REQUESTS', `${open} tickets are open; wait, or withdraw some`);
    const names = await this.#names(works);
    const at = now();
    const ticket = requestedTicket({
      id: randomUUID(),
      version: 1,
      ...planned,
      works: works.map((work) => ({ ...work, name: names.get(work.node ?? '') ?? null })),
      status: 'requested',
      planHash: hashOf(planned),
      needed,
      requestedBy: username,
      ...(team !== undefined && { owner: team }),
      requestToken: tokenId,
      approvals: [],
      usedBy: null,
      unpublished: [],
      pending: false,
      events: 0,
      createdAt: new Date(at).toISOString(),
      updatedAt: new Date(at).toISOString(),
      expiresAt: new Date(at + needed.validMinutes * MINUTE_MS).toISOString(),
    });
    await this.#port.stored.insert(ticket);
    await this.#port.changes.publish(ticket);
    return ticketView(ticket);
  }

  async get(id: string): Promise<TicketRecord | undefined> {
    const ticket = await this.#port.changes.get(id);
    return ticket && ticketView(ticket);
  }

  async list({ filter, ...page }: Page): Promise<PagedList<TicketRecord>> {
    const tickets = await this.#port.stored.find(filter, { ...page, sort: page.sort ?? { createdAt: 1 } });
    return { items: tickets.map(ticketView), total: await this.#port.stored.count(filter) };
  }

  async act(id: string, { command, note }: TicketAction, by: TicketActor): Promise<TicketRecord | undefined> {
    const said = note ?? null;
    const changed = await this.#port.changes.change(id, (ticket, at) => {
      if (command === 'withdraw') return withdrawnBy(ticket, by);
      return command === 'approve' ? approvedBy(ticket, by, said, at) : rejectedBy(ticket, by, said, at);
    });
    if (changed === undefined) return undefined;
    await this.#port.changes.publish(changed);
    return ticketView(changed);
  }

  #planOf(request: TicketRequest): Promise<TicketPlan> {
    if ('launch' in request) return this.#ofLaunch(request.launch);
    return 'batch' in request ? this.#ofMany('batch', request.batch) : this.#ofMany('rollout', request.rollout);
  }

  async #ofLaunch({
    ticket: _,
    ...request
  }: Extract<TicketRequest, { launch: unknown }>['launch']): Promise<TicketPlan> {
    const { name, nodeId: node, options } = request;
    const encrypted = await this.#port.encrypt(name, options);
    const plan = await this.#port.plans.plan(request);
    const rejection = plan.rejections.find(({ code }) => !PASSING.includes(code));
    if (rejection !== undefined) throw rejectionError(rejection);
    const work = await this.#port.approvals.workOf({ id: randomUUID(), name, node, options });
    const rejections = plan.rejections.filter(({ code }) => !userRejections.includes(code));
    return { kind: 'launch', graph: name, options: encrypted, plan: { ...plan, rejections }, works: [work] };
  }

  async #ofMany(kind: 'batch' | 'rollout', { ticket: _, ...request }: RolloutRequest): Promise<TicketPlan> {
    const { rollouts } = this.#port;
    const draft = await rollouts.draft(request);
    const { targets } = draft;
    if (targets.length > NODES_PER_TICKET)
      throw new NodewrightError(
        'INVALID',
        `targets are ${targets.length} nodes; a ticket is for at most ${NODES_PER_TICKET}`,
        {
          violations: [
            {
              path: kind === 'batch' ? 'launch' : 'rollout.targets',
              message: `are ${targets.length} nodes; expected at most ${NODES_PER_TICKET}`,
            },
          ],
        },
      );
    const plan: RolloutPlanRecord = await rollouts.planOf(draft);
    const { graph, options } = draft.rollout;
    const rejections = plan.rejections.filter(({ code }) => !userRejections.includes(code));
    return { kind, graph, options, plan: { ...plan, rejections }, works: await this.#port.worksOf(draft) };
  }

  async #needed(works: readonly PlannedWork[]): Promise<NeededApproval> {
    const needed: NeededApproval[] = [];
    for (const work of works) {
      const one = await this.#port.approvals.needed(work);
      if (one !== undefined) needed.push(one);
    }
    return needed.length === 0 ? usualApproval : needed.reduce(strictest);
  }

  async #names(works: readonly PlannedWork[]): Promise<Map<string, string>> {
    const ids = works.flatMap(({ node }) => node ?? []);
    if (ids.length === 0) return new Map();
    const page = { skip: 0, limit: NODES_PER_TICKET, filter: { id: { $in: ids } }, fields: ['id', 'name'] };
    return new Map((await this.#port.nodes.list(page)).items.map(({ id, name }) => [id, name]));
  }
}

const requestIn = (request: TicketRequest): { team?: string } => {
  if ('launch' in request) return request.launch;
  return 'batch' in request ? request.batch : request.rollout;
};

function rejectionError({ path, code, message }: LaunchPlan['rejections'][number]): NodewrightError {
  const errorCode: ErrorCode = Object.hasOwn(errorMeanings, code) ? (code as ErrorCode) : 'INVALID';
  return new NodewrightError(errorCode, message, { violations: [{ path, message }] });
}

/** Secrets, which differ in each encryption, are compared when the ticket is used. */
function hashOf({ graph, plan, works }: TicketPlan): string {
  const { options } = plan as { options?: unknown };
  const tasks = 'tasks' in plan ? plan.tasks.map(({ label, options: labelOptions }) => [label, labelOptions]) : options;
  return createHash('sha256')
    .update(JSON.stringify({ graph, options: tasks, works }))
    .digest('hex');
}
