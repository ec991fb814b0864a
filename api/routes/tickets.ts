/** /tickets: a second person approves a plan before it is launched. */
import { type Static, Type } from 'typebox';
import type { Engine, TicketRequest } from '../../engine/api-port/index.ts';
import { planRecord } from '../../engine/api-port/launch-plans.ts';
import { type ListFields, optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { rolloutPlanRecord, rolloutRequest } from '../../engine/api-port/rollouts.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { approvers, ticketAction, ticketRecord } from '../../engine/api-port/tickets.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { ticketStatuses } from '../../engine/vocabulary/states.ts';
import { scopeOfMany } from '../auth/reach.ts';
import { MissingPrivilege, nodeIdNamed, requireFound } from '../http/rejections.ts';
import { listReply, recordReply } from '../http/replies.ts';
import { holdsOne, neededPrivileges, ownTickets } from '../http/rights.ts';
import { type Call, type Identity, OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { OwnedRecords } from '../http/scope.ts';
import { projection } from '../views/projection.ts';
import { batchBody } from './batches.ts';
import { nodesByFilter } from './filtered-nodes.ts';
import { bodyNode, launchBody, launchOf } from './launch.ts';
import { requestOf } from './rollouts.ts';

const route = routesOf('components');

const launchPlanView = projection(planRecord);
const rolloutPlanView = projection(rolloutPlanRecord);
const needs = neededPrivileges('components', 'POST');

const ticketView = projection(ticketRecord, {
  plan: ({ plan }: { plan: Record<string, unknown> }) =>
    'tasks' in plan ? launchPlanView({ ...plan, needs } as never) : rolloutPlanView(plan as never),
});

const { name, options, domain } = launchBody.properties;
const { nodes, filter } = batchBody.properties;

const ticketBody = Type.Object(
  {
    launch: Type.Optional(
      Type.Object(
        {
          name,
          options,
          domain,
          nodes,
          filter,
          nodeId: Type.Optional(nonEmpty),
          node: Type.Optional(nonEmpty),
        },
        { additionalProperties: false, description: 'as of /workflows/plan, or with nodes or a filter as of a batch' },
      ),
    ),
    rollout: Type.Optional(rolloutRequest),
  },
  { additionalProperties: false },
);

const ticketFilters: ListFields = {
  ...texts('id', 'graph', 'planHash'),
  ...optionalTexts('requestedBy', 'owner', 'usedBy'),
  ...times('createdAt', 'updatedAt', 'expiresAt'),
  status: word(ticketStatuses),
  createdBy: { kind: 'text', nullable: true, path: 'requestedBy' },
};

const noTicket = (id: string) => new NodewrightError('NOT_FOUND', `no ticket has the id ${id}`);

const actorOf = (identity: Identity | undefined) => ({
  username: identity?.username ?? null,
  tokenId: identity?.tokenId ?? null,
});

/** @throws NodewrightError INVALID, NOT_FOUND */
async function ticketRequestOf(call: Call<unknown, Static<typeof ticketBody>>): Promise<TicketRequest> {
  const { engine, identity, body, scope } = call;
  const { launch, rollout } = body;
  if ((launch === undefined) === (rollout === undefined))
    throw invalidInput('launch', 'and rollout are both there, or none is; expected one of them');
  if (rollout !== undefined) return { rollout: await requestOf({ engine, identity, body: rollout, scope }) };
  const { nodeId, node = nodeId, nodes: many, filter: selected, ...request } = launch ?? {};
  if ([node, many, selected].filter((one) => one !== undefined).length > 1)
    throw invalidInput('launch', 'has several of node, nodes and filter; expected one of them');
  if (many !== undefined || selected !== undefined) {
    const reached = await scopeOfMany(engine, scope, many?.[0], 'launch.nodes');
    const {
      name: graph,
      options: given,
      nodeId: _,
      ...shared
    } = launchOf({ ...call, ...(reached && { scope: reached }), query: {}, body: request }, null);
    const ids = many ?? (await nodesByFilter(engine, selected ?? {}, 'launch.filter', reached?.team));
    return { batch: { graph, options: given, nodes: ids, ...shared } };
  }
  const { node: id, ...reached } = await bodyNode(call, node, (identifier) => nodeIdNamed(engine, identifier));
  return { launch: launchOf({ ...call, ...reached, query: {}, body: request }, id) };
}

const ownedTickets: OwnedRecords = {
  get: (engine, id) => engine.tickets.get(id),
  missing: noTicket,
};

/**
 * Users with one of the ticket's roles may approve and reject it, too. On a ticket of a team a role that is bound to it counts as well.
 * @throws MissingPrivilege, NodewrightError NOT_FOUND
 */
async function checkApprover(engine: Engine, id: string, identity: Identity | undefined): Promise<void> {
  const { needed, owner } = requireFound(await engine.tickets.get(id), () => noTicket(id));
  if (identity === undefined) return;
  const { role = '', privileges, grants = [] } = identity;
  const held = [{ role, privileges }, ...grants.filter(({ team }) => team === owner)];
  if (held.some((one) => holdsOne(one.privileges, approvers) || needed.roles.includes(one.role))) return;
  throw new MissingPrivilege(approvers);
}

export const ticketRoutes = [
  route({
    id: 'listTickets',
    summary: 'List tickets, oldest first',
    method: 'GET',
    path: '/tickets',
    reach: { by: 'handler', list: 'owner' },
    resourceGroup: 'tickets',
    list: ticketFilters,
    // Each has a plan, which may be of many nodes.
    top: 20,
    answer: { status: 200, schema: Type.Array(ticketRecord) },
    handle: async ({ engine, page }) => listReply(await engine.tickets.list(page), ticketView),
  }),
  route({
    id: 'createTicket',
    summary: 'Ask for the approval of a launch or a rollout; nothing is started',
    method: 'POST',
    path: '/tickets',
    reach: { by: 'handler' },
    body: ticketBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: ticketRecord },
    rejections: {
      404: 'No such graph, node, rollout or window',
      409: 'The launch would be rejected, or a drive has no known serial number',
      429: 'Too many tickets are open',
    },
    handle: async (call) => {
      const ticket = await call.engine.tickets.create(await ticketRequestOf(call), actorOf(call.identity));
      return { body: ticketView(ticket), headers: { Location: `/api/2.0/tickets/${ticket.id}` } };
    },
  }),
  route({
    id: 'getTicket',
    summary: 'Get a ticket, with its plan',
    method: 'GET',
    path: '/tickets/:id',
    reach: { by: 'record', records: ownedTickets },
    resourceGroup: 'tickets',
    answer: { status: 200, schema: ticketRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.tickets.get(id), ticketView, () => noTicket(id)),
  }),
  route({
    id: 'actOnTicket',
    summary: 'Approve, reject or withdraw a ticket',
    method: 'PUT',
    path: '/tickets/:id/action',
    reach: { by: 'record', records: ownedTickets },
    resourceGroup: 'tickets',
    scope: ownTickets,
    body: ticketAction,
    answer: { status: 202, schema: ticketRecord },
    rejections: { 409: 'The command makes no sense in the state of the ticket' },
    handle: async ({ engine, identity, body, params: { id = '' } }) => {
      if (body.command !== 'withdraw') await checkApprover(engine, id, identity);
      const ticket = await engine.tickets.act(id, body, actorOf(identity));
      return { body: ticketView(requireFound(ticket, () => noTicket(id))) };
    },
  }),
];
