/** /workflows: all workflows, with or without a node. */
import { Type } from 'typebox';
import type { Engine, Page } from '../../engine/api-port/index.ts';
import {
  type ListFields,
  optionalTexts,
  optionalTimes,
  texts,
  times,
  word,
} from '../../engine/api-port/list-filter.ts';
import { nonEmpty, words } from '../../engine/api-port/schemas.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { workflowStatuses } from '../../engine/vocabulary/states.ts';
import { rolesForWorkflow } from '../auth/launcher-roles.ts';
import { narrowedPage } from '../http/list.ts';
import { actorNamed, MissingPrivilege, noWorkflow, requireFound } from '../http/rejections.ts';
import { removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { historyRecord, historyView, workflowPath, workflowRecord, workflowView } from '../views/workflow.ts';
import { bodyNode, launchBody, launchOf, launchQuery, noteTicket } from './launch.ts';

const route = routesOf('components');

export const workflowFilters: ListFields = {
  ...texts('id', 'name', 'domain', 'definitionHash'),
  ...optionalTexts('node', 'launchedBy', 'owner'),
  by: { kind: 'text', nullable: true, path: 'launchedBy', sort: false },
  ...times('createdAt'),
  updatedAt: { kind: 'time', sort: false },
  ...optionalTimes('startedAt', 'finishedAt'),
  status: word(workflowStatuses),
  root: { kind: 'text', nullable: true, sort: false },
  rollout: { kind: 'text', nullable: true, sort: false },
  batch: { kind: 'text', nullable: true, sort: false },
  rule: { kind: 'text', nullable: true, sort: false },
  code: { kind: 'text', nullable: true, path: 'errorCode', sort: false },
  injectableName: { kind: 'text', path: 'graphName' },
  instanceId: { kind: 'text', path: 'id' },
  _status: word(workflowStatuses, 'status'),
};

const onlyFilter = { kind: 'text', nullable: true, sort: false } as const;
const historyFilters: ListFields = {
  event: onlyFilter,
  label: onlyFilter,
  from: onlyFilter,
  to: onlyFilter,
  at: { kind: 'time' },
  version: { kind: 'number' },
};

export const activeQuery = Type.Object({
  active: Type.Optional(Type.Boolean()),
  stuck: Type.Optional(Type.Boolean({ description: 'only workflows that are stuck, or only others' })),
});

const [pending, running, ...ended] = workflowStatuses;

/** Narrows the page to active workflows, or to ended ones. */
export function withActive(page: Page, active: boolean | undefined): Page {
  if (active === undefined) return page;
  return narrowedPage(page, { status: { $in: active ? [pending, running] : ended } });
}

/** Narrows the page to workflows that are stuck, or to others. */
export async function withStuck(engine: Engine, page: Page, stuck: boolean | undefined): Promise<Page> {
  if (stuck === undefined) return page;
  const ids = await engine.diagnosis.stuckWorkflows();
  return narrowedPage(page, { id: stuck ? { $in: ids } : { $nin: ids } });
}

const commands = {
  cancel: 'cancel',
  release: 'release',
  pause: 'pause',
  resume: 'resume',
  'retry-now': 'retryNow',
} as const;
const actionBody = Type.Object(
  { command: words(Object.keys(commands) as (keyof typeof commands)[]) },
  { additionalProperties: false },
);

export const workflowRoutes = [
  route({
    id: 'startWorkflow',
    summary: 'Start a graph, with or without a node',
    method: 'POST',
    path: '/workflows',
    reach: { by: 'handler' },
    query: launchQuery,
    body: Type.Object({ ...launchBody.properties, node: Type.Optional(nonEmpty) }, { additionalProperties: false }),
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: workflowRecord },
    rejections: { 404: 'No such graph or node', 409: 'Another workflow is active on the node, or a ticket is missing' },
    handle: async (call) => {
      const { engine, body, identity } = call;
      const { node, ...reached } = await bodyNode(call, body.node, (identifier) => actorNamed(call.engine, identifier));
      const row = await engine.launches.launch(launchOf({ ...call, ...reached }, node));
      noteTicket(call, row);
      return { body: workflowView(row, identity), headers: { Location: workflowPath(row.id) } };
    },
  }),
  route({
    id: 'listWorkflows',
    summary: 'List workflows',
    method: 'GET',
    path: '/workflows',
    reach: { by: 'handler', list: 'owner' },
    list: workflowFilters,
    query: activeQuery,
    answer: { status: 200, schema: Type.Array(workflowRecord) },
    handle: async ({ engine, page, query, identity }) => {
      const { items, total } = await engine.workflows.list(
        await withStuck(engine, withActive(page, query.active), query.stuck),
      );
      return { body: await mapPaced(items, (row) => workflowView(row, identity)), total };
    },
  }),
  route({
    id: 'getWorkflow',
    summary: 'Get a workflow',
    method: 'GET',
    path: '/workflows/:id',
    reach: { by: 'workflow' },
    answer: { status: 200, schema: workflowRecord },
    handle: async ({ engine, identity, params: { id = '' } }) => {
      const row = requireFound(await engine.workflows.get(id), () => noWorkflow(id));
      return { body: workflowView(row, identity) };
    },
  }),
  route({
    id: 'removeWorkflow',
    summary: 'Delete a workflow that has ended',
    method: 'DELETE',
    path: '/workflows/:id',
    reach: { by: 'workflow' },
    answer: { status: 204 },
    rejections: { 409: 'The workflow is active' },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.control.remove(id), () => noWorkflow(id)),
  }),
  route({
    id: 'actOnWorkflow',
    summary: 'Cancel, pause or resume a workflow, begin its next attempt now, or release it from quarantine',
    method: 'PUT',
    path: '/workflows/:id/action',
    reach: { by: 'workflow' },
    body: actionBody,
    answer: { status: 202, schema: workflowRecord },
    rejections: { 409: 'The command makes no sense in the state of the workflow' },
    handle: async ({ engine, identity, scope, notes, body: { command }, params: { id = '' } }) => {
      notes.command = command;
      // A workflow that crashed the daemon may do so again, which concerns the whole site.
      if (scope !== undefined && command === 'release') throw new MissingPrivilege(scope.required);
      const roles = await rolesForWorkflow({ engine, identity }, id);
      const row = requireFound(await engine.control[commands[command]](id, identity?.username, roles), () =>
        noWorkflow(id),
      );
      return { body: workflowView(row, identity), headers: { Location: workflowPath(row.id) } };
    },
  }),
  route({
    id: 'listHistory',
    summary: 'List the history of a workflow, oldest first',
    method: 'GET',
    path: '/workflows/:id/history',
    reach: { by: 'workflow' },
    list: historyFilters,
    answer: { status: 200, schema: Type.Array(historyRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      requireFound(await engine.workflows.get(id), () => noWorkflow(id));
      const { items, total } = await engine.workflows.history(id, page);
      return { body: await mapPaced(items, historyView), total };
    },
  }),
];
