/** /rollouts: one graph on many nodes, in phases. */
import { type Static, Type } from 'typebox';
import type { RolloutRequest } from '../../engine/api-port/index.ts';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import {
  beginningCommands,
  rolloutAction,
  rolloutPlanRecord,
  rolloutRecord,
  rolloutRequest,
  rolloutRequestOf,
  targetRecord,
} from '../../engine/api-port/rollouts.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { rolloutStatuses, targetStatuses } from '../../engine/vocabulary/states.ts';
import { rolesForCommand, rolesForLaunch } from '../auth/launcher-roles.ts';
import { checkGraph, scopeOfMany } from '../auth/reach.ts';
import { requireFound } from '../http/rejections.ts';
import { recordReply, removalReply } from '../http/replies.ts';
import { type Call, OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { OwnedRecords } from '../http/scope.ts';
import { projection } from '../views/projection.ts';
import { nodesByFilter } from './filtered-nodes.ts';
import { type MemberScope, noteTicket, teamOf } from './launch.ts';

const route = routesOf('components');

const rolloutView = projection(rolloutRecord);
const planView = projection(rolloutPlanRecord);
const targetView = projection(targetRecord);

const rolloutFilters = {
  ...texts('id', 'name', 'graph', 'definitionHash'),
  ...optionalTexts('createdBy', 'owner', 'window', 'ticket'),
  ...times('createdAt', 'updatedAt'),
  seed: { kind: 'number' },
  status: word(rolloutStatuses),
} as const;

const targetFilters = {
  ...texts('node'),
  ...optionalTexts('workflow'),
  phase: { kind: 'number' },
  sequence: { kind: 'number' },
  status: word(targetStatuses),
} as const;

const noRollout = (id: string) => new NodewrightError('NOT_FOUND', `no rollout has the id ${id}`);

export type RolloutCall = Pick<Call<unknown, Static<typeof rolloutRequest>>, 'engine' | 'body' | 'identity'> &
  MemberScope;

const ownedRollouts: OwnedRecords = {
  get: (engine, id) => engine.rollouts.get(id),
  missing: noRollout,
};

/** A member begins only targets with a graph that the member may launch. @throws NodewrightError FORBIDDEN */
async function checkCommand(
  { engine, scope }: Pick<Call, 'engine'> & MemberScope,
  id: string,
  command: string,
): Promise<void> {
  if (scope === undefined || !beginningCommands.includes(command)) return;
  const { graph } = requireFound(await engine.rollouts.get(id), () => noRollout(id));
  checkGraph(scope, scope.team, graph);
}

/** @throws NodewrightError INVALID, NOT_FOUND, FORBIDDEN */
export async function requestOf({ engine, body, identity, scope }: RolloutCall): Promise<RolloutRequest> {
  const { nodes, filter } = body.targets;
  if ((nodes === undefined) === (filter === undefined))
    throw invalidInput('targets', 'has nodes and filter, or neither; expected one of them');
  const reached = await scopeOfMany(engine, scope, nodes?.[0], 'targets.nodes');
  const team = teamOf({ scope: reached }, body.graph);
  return {
    ...rolloutRequestOf(body, nodes ?? (await nodesByFilter(engine, filter ?? {}, 'targets.filter', team.team))),
    ...(identity !== undefined && { operator: identity.username }),
    ...team,
    ...rolesForLaunch({ engine, identity }, body.graph),
  };
}

export const rolloutRoutes = [
  route({
    id: 'planRollout',
    summary: 'Plan a rollout: its targets, their phases, and what would be rejected; nothing is stored or started',
    method: 'POST',
    path: '/rollouts/plan',
    reach: { by: 'handler' },
    computes: true,
    body: rolloutRequest,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: rolloutPlanRecord },
    rejections: { 404: 'No such graph, node, rollout, window or ticket' },
    handle: async (call) => ({ body: planView(await call.engine.rollouts.plan(await requestOf(call))) }),
  }),
  route({
    id: 'createRollout',
    summary: 'Run a graph on many nodes, in phases',
    method: 'POST',
    path: '/rollouts',
    reach: { by: 'handler' },
    body: rolloutRequest,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: rolloutRecord },
    rejections: {
      404: 'No such graph, node, rollout, window or ticket',
      409: 'A ticket is missing, or for another plan',
      429: 'Too many rollouts have not ended',
    },
    handle: async (call) => {
      const rollout = await call.engine.rollouts.create(await requestOf(call));
      const ticket = rollout.ticket === null ? undefined : await call.engine.tickets.get(rollout.ticket);
      if (ticket !== undefined) noteTicket(call, { ticket });
      return { body: rolloutView(rollout), headers: { Location: `/api/2.0/rollouts/${rollout.id}` } };
    },
  }),
  route({
    id: 'listRollouts',
    summary: 'List rollouts, oldest first',
    method: 'GET',
    path: '/rollouts',
    reach: { by: 'handler', list: 'owner' },
    list: rolloutFilters,
    answer: { status: 200, schema: Type.Array(rolloutRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.rollouts.list(page);
      return { body: await mapPaced(items, (rollout) => rolloutView(rollout)), total };
    },
  }),
  route({
    id: 'getRollout',
    summary: 'Get a rollout',
    method: 'GET',
    path: '/rollouts/:id',
    reach: { by: 'record', records: ownedRollouts },
    answer: { status: 200, schema: rolloutRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.rollouts.get(id), rolloutView, () => noRollout(id)),
  }),
  route({
    id: 'listRolloutTargets',
    summary: 'List the targets of a rollout, by sequence',
    method: 'GET',
    path: '/rollouts/:id/targets',
    reach: { by: 'record', records: ownedRollouts },
    list: targetFilters,
    answer: { status: 200, schema: Type.Array(targetRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      const { items, total } = requireFound(await engine.rollouts.targets(id, page), () => noRollout(id));
      return { body: await mapPaced(items, (target) => targetView(target)), total };
    },
  }),
  route({
    id: 'actOnRollout',
    summary: 'Pause, resume, advance or cancel a rollout, or retry its failed targets',
    method: 'PUT',
    path: '/rollouts/:id/action',
    reach: { by: 'record', records: ownedRollouts },
    body: rolloutAction,
    answer: { status: 202, schema: rolloutRecord },
    rejections: { 409: 'The command makes no sense in the state of the rollout, or a retry is unsafe' },
    handle: async ({ engine, identity, scope, body, notes, params: { id = '' } }) => {
      notes.command = body.command;
      await checkCommand({ engine, scope }, id, body.command);
      if (body.acknowledge === true) notes.acknowledged = ['*'];
      const roles = await rolesForCommand({ engine, identity }, async () => (await engine.rollouts.get(id))?.graph);
      const rollout = await engine.rollouts.act(id, body, identity?.username, roles);
      return { body: rolloutView(requireFound(rollout, () => noRollout(id))) };
    },
  }),
  route({
    id: 'removeRollout',
    summary: 'Delete a rollout that has ended; its workflows stay',
    method: 'DELETE',
    path: '/rollouts/:id',
    reach: { by: 'record', records: ownedRollouts },
    answer: { status: 204 },
    rejections: { 409: 'The rollout has not ended' },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.rollouts.remove(id), () => noRollout(id)),
  }),
];
