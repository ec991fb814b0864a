/** /nodes/:identifier/workflows, and its deprecated forms under /api/1.1. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import type { WorkflowRow } from '../../engine/api-port/workflows.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { narrowedPage } from '../http/list.ts';
import { actorNamed, nodeIdNamed, requireFound } from '../http/rejections.ts';
import { type Call, OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { TeamScope } from '../http/scope.ts';
import { workflowPath, workflowRecord, workflowView } from '../views/workflow.ts';
import { cancelBody } from './cancel.ts';
import { launchBody, launchOf, launchQuery, noteTicket } from './launch.ts';
import { activeQuery, withActive, withStuck, workflowFilters } from './workflows.ts';

const route = routesOf('components');

async function nodeIdOf(engine: Engine, identifier: string): Promise<string> {
  return nodeIdNamed(engine, identifier);
}

/** @throws NodewrightError NOT_FOUND with the identifier that the client sent */
async function cancelOn({ engine, identity, scope, params: { identifier = '' } }: Call) {
  const node = await nodeIdOf(engine, identifier);
  const isOwn = scope === undefined || owns(scope, await engine.workflows.activeOn(node));
  const row = isOwn ? await engine.control.cancelOn(node, identity?.username) : undefined;
  return requireFound(
    row,
    () => new NodewrightError('NOT_FOUND', `No active workflow graph found for node ${identifier}`),
  );
}

/** Whether the workflow belongs to a team of the user: one that holds the node may be of an owner before. */
const owns = ({ teams }: TeamScope, row: WorkflowRow | undefined): boolean => teams.includes(row?.owner ?? '');

/** Returns the list filter. `active` selects the holder of the node only: its children share the node. */
async function narrowing(engine: Engine, node: string, active: boolean | undefined): Promise<Record<string, unknown>> {
  if (!active) return { node };
  const row = await engine.workflows.activeOn(node);
  return { node, id: row?.id ?? '' };
}

export const nodeWorkflowRoutes = [
  route({
    id: 'startNodeWorkflow',
    summary: 'Start a graph on a node',
    method: 'POST',
    path: '/nodes/:identifier/workflows',
    reach: { by: 'node' },
    query: launchQuery,
    body: launchBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: workflowRecord },
    rejections: {
      404: 'No such node or graph',
      409: 'Another workflow is active on the node, the node is held, or a ticket is missing',
    },
    handle: async (call) => {
      const { engine, params, identity } = call;
      const row = await engine.launches.launch(launchOf(call, await actorNamed(engine, params.identifier)));
      noteTicket(call, row);
      return { body: workflowView(row, identity), headers: { Location: workflowPath(row.id) } };
    },
  }),
  route({
    id: 'listNodeWorkflows',
    summary: 'List the workflows of a node; active=true returns at most one',
    method: 'GET',
    path: '/nodes/:identifier/workflows',
    reach: { by: 'node', list: 'owner' },
    list: workflowFilters,
    query: activeQuery,
    answer: { status: 200, schema: Type.Array(workflowRecord) },
    handle: async ({ engine, page, query, identity, params: { identifier = '' } }) => {
      const node = await nodeIdOf(engine, identifier);
      const wanted = narrowedPage(withActive(page, query.active), await narrowing(engine, node, query.active));
      const { items, total } = await engine.workflows.list(await withStuck(engine, wanted, query.stuck));
      return { body: await mapPaced(items, (row) => workflowView(row, identity)), total };
    },
  }),
  route({
    id: 'actOnNodeWorkflow',
    summary: 'Cancel the active workflow of a node',
    method: 'PUT',
    path: '/nodes/:identifier/workflows/action',
    reach: { by: 'node' },
    body: cancelBody,
    answer: { status: 202, schema: workflowRecord },
    rejections: { 404: 'No such node, or it has no active workflow' },
    handle: async (call) => {
      const row = await cancelOn(call);
      return { body: workflowView(row, call.identity), headers: { Location: workflowPath(row.id) } };
    },
  }),
  route({
    id: 'getActiveWorkflow',
    summary: 'Get the active workflow of a node (deprecated); 204 if there is none',
    method: 'GET',
    path: '/nodes/:identifier/workflows/active',
    reach: { by: 'node' },
    base: '1.1',
    answer: { status: 200, schema: workflowRecord },
    rejections: { 204: 'No workflow is active' },
    handle: async ({ engine, identity, scope, params: { identifier = '' } }) => {
      const row = await engine.workflows.activeOn(await nodeIdOf(engine, identifier));
      return row && (scope === undefined || owns(scope, row))
        ? { status: 200, body: workflowView(row, identity) }
        : { status: 204 };
    },
  }),
  route({
    id: 'cancelActiveWorkflow',
    summary: 'Cancel the active workflow of a node (deprecated)',
    method: 'DELETE',
    path: '/nodes/:identifier/workflows/active',
    reach: { by: 'node' },
    base: '1.1',
    answer: { status: 204 },
    rejections: { 404: 'No such node, or it has no active workflow' },
    handle: async (call) => {
      await cancelOn(call);
      return { status: 204 };
    },
  }),
];
