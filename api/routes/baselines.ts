/** /baselines: the firmware and BIOS settings that the nodes of a SKU must have. */
import { Type } from 'typebox';
import {
  baselineChange,
  baselineRecord,
  type DriftState,
  driftRecord,
  driftStates,
  newBaseline,
  type ProposableState,
  proposableStates,
} from '../../engine/api-port/baselines.ts';
import { texts, times } from '../../engine/api-port/list-filter.ts';
import { rolloutRequest } from '../../engine/api-port/rollouts.ts';
import { words } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('fleet');
const baselineView = projection(baselineRecord);
const driftView = projection(driftRecord);
const { name, graph, options, targets } = rolloutRequest.properties;

const noBaseline = (id: string) => new NodewrightError('NOT_FOUND', `Could not find baseline ${id}`);

export const baselineRoutes = [
  route({
    id: 'listBaselines',
    summary: 'List baselines',
    method: 'GET',
    path: '/baselines',
    list: { ...texts('id', 'name', 'sku'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(baselineRecord) },
    handle: async ({ engine, page }) => listReply(await engine.baselines.list(page), baselineView),
  }),
  route({
    id: 'createBaseline',
    summary: 'Say which firmware and BIOS settings the nodes of a SKU must have; nothing is started',
    method: 'POST',
    path: '/baselines',
    body: newBaseline,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: baselineRecord },
    rejections: { 404: 'No such SKU', 409: 'The limit of baselines is reached' },
    handle: async ({ engine, body, identity }) => {
      const baseline = await engine.baselines.create(body, identity?.username);
      return { body: baselineView(baseline), headers: { Location: `/api/2.0/baselines/${baseline.id}` } };
    },
  }),
  route({
    id: 'getBaseline',
    summary: 'Get a baseline',
    method: 'GET',
    path: '/baselines/:id',
    answer: { status: 200, schema: baselineRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.baselines.get(id), baselineView, () => noBaseline(id)),
  }),
  route({
    id: 'changeBaseline',
    summary: 'Change a baseline; nothing is started',
    method: 'PATCH',
    path: '/baselines/:id',
    body: baselineChange,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: baselineRecord },
    rejections: { 404: 'No such baseline or SKU' },
    handle: async ({ engine, body, params: { id = '' } }) =>
      recordReply(await engine.baselines.change(id, body), baselineView, () => noBaseline(id)),
  }),
  route({
    id: 'removeBaseline',
    summary: 'Delete a baseline',
    method: 'DELETE',
    path: '/baselines/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.baselines.remove(id), () => noBaseline(id)),
  }),
  route({
    id: 'listDrift',
    summary: 'List how the nodes of the SKU differ from a baseline, by their latest catalogs',
    method: 'GET',
    path: '/baselines/:id/drift',
    list: {},
    query: Type.Object({ state: Type.Optional(Type.Unsafe<DriftState>(words(driftStates))) }),
    answer: { status: 200, schema: Type.Array(driftRecord) },
    handle: async ({ engine, page, params: { id = '' }, query: { state } }) =>
      listReply(
        requireFound(await engine.baselines.drift(id, page, state), () => noBaseline(id)),
        driftView,
      ),
  }),
  route({
    id: 'getBaselineRollout',
    summary: 'Get the body of a rollout that brings all nodes that differ to a baseline; nothing is started',
    method: 'GET',
    path: '/baselines/:id/rollout',
    query: Type.Object({
      state: Type.Optional(
        Type.Unsafe<ProposableState>({ ...words(proposableStates), description: 'of the nodes; absent: differs' }),
      ),
    }),
    answer: { status: 200, schema: Type.Object({ name, graph, options, targets }) },
    rejections: { 409: 'No node is in the state' },
    handle: async ({ engine, params: { id = '' }, query: { state = 'differs' } }) => ({
      body: requireFound(await engine.baselines.rollout(id, state), () => noBaseline(id)),
    }),
  }),
];
