/** Batches: one graph on many nodes. */
import { type Static, Type } from 'typebox';
import { batchRecord } from '../../engine/api-port/batches.ts';
import type { Engine } from '../../engine/api-port/index.ts';
import { texts, times, word } from '../../engine/api-port/list-filter.ts';
import { NODES_PER_FILTER } from '../../engine/api-port/node-query.ts';
import { nodeFilterBody, nonEmpty } from '../../engine/api-port/schemas.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { batchStatuses } from '../../engine/vocabulary/states.ts';
import { scopeOfMany } from '../auth/reach.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, recordReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import type { OwnedRecords } from '../http/scope.ts';
import { projection } from '../views/projection.ts';
import { cancelBody } from './cancel.ts';
import { nodesByFilter } from './filtered-nodes.ts';
import { launchBody, launchOf, launchQuery, noteTicket } from './launch.ts';

const route = routesOf('components');

export const batchBody = Type.Object(
  {
    ...launchBody.properties,
    nodes: Type.Optional(Type.Array(nonEmpty, { minItems: 1, maxItems: NODES_PER_FILTER })),
    filter: Type.Optional(nodeFilterBody),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: NODES_PER_FILTER, description: 'of active workflows' }),
    ),
    maxFailures: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: NODES_PER_FILTER,
        description: 'after this many failures no more are launched',
      }),
    ),
  },
  { additionalProperties: false },
);

const batchView = projection(batchRecord);

const launcher = { kind: 'text', nullable: true, path: 'operator', sort: false } as const;

const batchFilters = {
  ...texts('id', 'name'),
  ...times('createdAt', 'updatedAt'),
  status: word(batchStatuses),
  launchedBy: launcher,
  createdBy: launcher,
} as const;

const noBatch = (id: string) => new NodewrightError('NOT_FOUND', `no batch has the id ${id}`);

/** @throws NodewrightError INVALID */
async function nodesOf(
  engine: Engine,
  { nodes, filter }: Static<typeof batchBody>,
  team: string | undefined,
): Promise<readonly string[]> {
  if ((nodes === undefined) === (filter === undefined)) throw invalidInput('nodes', 'or filter: give one of them');
  if (nodes !== undefined || filter === undefined) return nodes ?? [];
  return nodesByFilter(engine, filter, 'filter', team);
}

/** A batch of others is answered like none. */
const ownedBatches: OwnedRecords = {
  async get(engine, id) {
    const batch = await engine.batches.get(id);
    return batch && { owner: batch.team ?? null };
  },
  missing: noBatch,
};

export const batchRoutes = [
  route({
    id: 'startBatch',
    summary: 'Start a graph on many nodes; the rejection of one spoils nothing',
    method: 'POST',
    path: '/nodes/workflows',
    reach: { by: 'handler' },
    query: launchQuery,
    body: batchBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: batchRecord },
    rejections: {
      404: 'No such graph or ticket',
      409: 'The ticket is not approved, or for another plan',
      429: 'Too many batches are not finished',
    },
    handle: async (call) => {
      const { engine, body } = call;
      const scope = await scopeOfMany(engine, call.scope, body.nodes?.[0], 'nodes');
      const { nodeId: _, ...launch } = launchOf({ ...call, ...(scope && { scope }) }, null);
      const { concurrency, maxFailures } = body;
      const batch = await engine.batches.create({
        ...launch,
        nodes: await nodesOf(engine, body, scope?.team),
        ...(concurrency !== undefined && { concurrency }),
        ...(maxFailures !== undefined && { maxFailures }),
      });
      const { ticket } = batch;
      const granted = ticket === null ? undefined : await engine.tickets.get(ticket);
      if (granted !== undefined) noteTicket(call, { ticket: granted });
      return { body: batchView(batch), headers: { Location: `/api/2.0/batches/${batch.id}` } };
    },
  }),
  route({
    id: 'listBatches',
    summary: 'List batches, oldest first',
    method: 'GET',
    path: '/batches',
    reach: { by: 'handler', list: 'team' },
    list: batchFilters,
    // Each may name thousands of nodes.
    top: 20,
    answer: { status: 200, schema: Type.Array(batchRecord) },
    handle: async ({ engine, page }) => listReply(await engine.batches.list(page), batchView),
  }),
  route({
    id: 'getBatch',
    summary: 'Get a batch',
    method: 'GET',
    path: '/batches/:id',
    reach: { by: 'record', records: ownedBatches },
    answer: { status: 200, schema: batchRecord },
    handle: async ({ engine, params: { id = '' } }) =>
      recordReply(await engine.batches.get(id), batchView, () => noBatch(id)),
  }),
  route({
    id: 'actOnBatch',
    summary: 'Cancel a batch: launch no more, and cancel its active workflows',
    method: 'PUT',
    path: '/batches/:id/action',
    reach: { by: 'record', records: ownedBatches },
    body: cancelBody,
    answer: { status: 202, schema: batchRecord },
    rejections: { 409: 'Nothing of the batch is active' },
    handle: async ({ engine, identity, params: { id = '' } }) => ({
      status: 202,
      body: batchView(requireFound(await engine.batches.cancel(id, identity?.username), () => noBatch(id))),
    }),
  }),
];
