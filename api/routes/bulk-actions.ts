/** /workflows/actions: one command to many workflows. */
import { type Static, Type } from 'typebox';
import { type ActingMember, bulkActionBody, bulkActionRecord } from '../../engine/api-port/bulk-actions.ts';
import type { BulkActionRequest, Engine } from '../../engine/api-port/index.ts';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { bulkActionStatuses, bulkCommands } from '../../engine/vocabulary/states.ts';
import { rolesForLaunch } from '../auth/launcher-roles.ts';
import { checkWorkflow, graphRejection, teamOfMany } from '../auth/reach.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { OwnedRecords, TeamScope } from '../http/scope.ts';
import { projection } from '../views/projection.ts';
import { cancelBody } from './cancel.ts';
import { workflowsByFilter } from './filtered-workflows.ts';

const route = routesOf('components');

const actionView = projection(bulkActionRecord);

const actionFilters = {
  ...texts('id'),
  ...times('createdAt', 'updatedAt'),
  ...optionalTexts('createdBy', 'owner'),
  command: word(bulkCommands),
  status: word(bulkActionStatuses),
};

const noAction = (id: string) => new NodewrightError('NOT_FOUND', `no action has the id ${id}`);

type Body = Static<typeof bulkActionBody>;

/** @throws NodewrightError INVALID */
async function selectionOf(engine: Engine, { ids, filter }: Body): Promise<BulkActionRequest['select']> {
  if ((ids === undefined) === (filter === undefined)) throw invalidInput('ids', 'or filter: give one of them');
  return ids === undefined ? { filter: await workflowsByFilter(engine, filter ?? {}) } : { ids };
}

const ownedActions: OwnedRecords = {
  get: (engine, id) => engine.bulkActions.get(id),
  missing: noAction,
};

/**
 * Returns the member who asks, with the team: that of the first workflow, to which the others belong as well.
 * @returns undefined for a user of the whole site @throws NodewrightError INVALID, NOT_FOUND, MissingPrivilege
 */
async function memberOf(
  engine: Engine,
  scope: TeamScope | undefined,
  { ids }: Body,
): Promise<ActingMember | undefined> {
  if (scope === undefined) return undefined;
  const many = { first: ids?.[0], at: 'ids', plural: 'workflows' };
  const team = (await teamOfMany(scope, many, (first) => checkWorkflow(engine, scope, first))) ?? '';
  return { team, rejectionOf: (graph) => graphRejection(scope, team, graph) };
}

/** @throws NodewrightError INVALID */
function checkRetryFields({ command, options, acknowledge }: Body): void {
  if (command === 'retry') return;
  const only = `is only for retry; found the command ${command}`;
  if (options !== undefined) throw invalidInput('options', only);
  if (acknowledge !== undefined) throw invalidInput('acknowledge', only);
}

export const bulkActionRoutes = [
  route({
    id: 'startBulkAction',
    summary: 'Retry, cancel, pause or resume many workflows; the rejection of one spoils nothing',
    method: 'POST',
    path: '/workflows/actions',
    reach: { by: 'handler' },
    body: bulkActionBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: bulkActionRecord },
    rejections: { 429: 'Too many actions have not ended' },
    handle: async ({ engine, body, identity, scope, notes }) => {
      checkRetryFields(body);
      const member = await memberOf(engine, scope, body);
      const { command, options, acknowledge } = body;
      notes.command = command;
      if (acknowledge !== undefined && acknowledge !== false)
        notes.acknowledged = acknowledge === true ? ['*'] : acknowledge;
      const action = await engine.bulkActions.create({
        command,
        select: await selectionOf(engine, body),
        ...(options !== undefined && { options }),
        ...(acknowledge !== undefined && { acknowledge }),
        ...(identity !== undefined && { operator: identity.username }),
        ...(member && { member }),
        ...rolesForLaunch({ engine, identity }),
      });
      return { body: actionView(action), headers: { Location: `/api/2.0/workflows/actions/${action.id}` } };
    },
  }),
  route({
    id: 'listBulkActions',
    summary: 'List actions on many workflows, oldest first',
    method: 'GET',
    path: '/workflows/actions',
    reach: { by: 'handler', list: 'owner' },
    list: actionFilters,
    // Each may name thousands of workflows.
    top: 20,
    answer: { status: 200, schema: Type.Array(bulkActionRecord) },
    handle: async ({ engine, page }) => listReply(await engine.bulkActions.list(page), actionView),
  }),
  route({
    id: 'getBulkAction',
    summary: 'Get an action on many workflows, with what became of each',
    method: 'GET',
    path: '/workflows/actions/:id',
    reach: { by: 'record', records: ownedActions },
    answer: { status: 200, schema: bulkActionRecord },
    handle: async ({ engine, params: { id = '' } }) => ({
      body: actionView(requireFound(await engine.bulkActions.get(id), () => noAction(id))),
    }),
  }),
  route({
    id: 'actOnBulkAction',
    summary: 'Cancel an action: workflows that it has not reached are left as they are',
    method: 'PUT',
    path: '/workflows/actions/:id/action',
    reach: { by: 'record', records: ownedActions },
    body: cancelBody,
    answer: { status: 202, schema: bulkActionRecord },
    rejections: { 409: 'The action has ended' },
    handle: async ({ engine, params: { id = '' } }) => ({
      body: actionView(requireFound(await engine.bulkActions.cancel(id), () => noAction(id))),
    }),
  }),
];
