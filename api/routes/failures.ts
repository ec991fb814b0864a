/** /failures: failed workflows, grouped by their cause. */
import { Type } from 'typebox';
import { failureAction, failureOrders, failureRecord } from '../../engine/api-port/failures.ts';
import type { ListFields } from '../../engine/api-port/list-filter.ts';
import { timeOrDate, words } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { rolesForLaunch } from '../auth/launcher-roles.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('components');

const failureView = projection(failureRecord);

const failureFilters: ListFields = {
  graph: { kind: 'text', path: 'graphName', sort: false },
  code: { kind: 'text', path: 'errorCode', sort: false },
  node: { kind: 'text', sort: false },
};

const failuresQuery = Type.Object({
  since: Type.Optional(timeOrDate('a time or a date; by default 7 days ago')),
  // The list sorts groups; its filters choose workflows.
  sort: Type.Optional(words(failureOrders.flatMap((name) => [name, `-${name}` as const]))),
  addressed: Type.Optional(Type.Boolean()),
  stuck: Type.Optional(Type.Boolean({ description: 'workflows that are stuck now, not failed ones' })),
});

const noFailure = (id: string) => new NodewrightError('NOT_FOUND', `no workflow of the last 7 days failed as ${id}`);

export const failureRoutes = [
  route({
    id: 'listFailures',
    summary: 'List failed workflows, grouped by their cause, with what those of a group have in common',
    method: 'GET',
    path: '/failures',
    reach: { by: 'handler' },
    list: failureFilters,
    query: failuresQuery,
    top: 20,
    answer: { status: 200, schema: Type.Array(failureRecord) },
    handle: async ({ engine, page, scope, query: { since, addressed, stuck } }) => {
      const chosen = { ...(addressed !== undefined && { addressed }), ...(stuck === true && { stuck }) };
      const narrowed = { ...page, filter: { ...page.filter, ...chosen } };
      const from = since === undefined ? undefined : new Date(since).toISOString();
      return listReply(await engine.failures.list(narrowed, from, scope?.teams), failureView);
    },
  }),
  route({
    id: 'actOnFailure',
    summary: 'Address or reopen a failure, or retry its workflows',
    method: 'PUT',
    path: '/failures/:id/action',
    body: failureAction,
    answer: { status: 200, schema: failureRecord },
    rejections: {
      409: 'Its workflows are stuck: they have not ended',
      429: 'Too many actions on workflows have not ended',
    },
    handle: async ({ engine, identity, body, notes, params: { id = '' } }) => {
      notes.command = body.command;
      const operator = identity === undefined ? {} : { operator: identity.username };
      const action = { ...body, ...operator, ...rolesForLaunch({ engine, identity }) };
      return { body: failureView(requireFound(await engine.failures.act(id, action), () => noFailure(id))) };
    },
  }),
];
