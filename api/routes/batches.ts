/** Batches: one graph on many nodes. */
import { type Static, Type } from 'typebox';
import { batchRecord } from '../../engine/api-port/batches.ts';
import type { Engine } from '../../engine/api-port/index.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { type Check, queryCheck } from '../http/check.ts';
import { filterOf, filterParameters, splitFilters } from '../http/list-filter.ts';
import { requireFound } from '../http/rejections.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';
import { cancelBody } from './cancel.ts';
import { launchBody, launchOf, launchQuery } from './launch.ts';
import { nodeFilters, nodeStateOf, nodeStates } from './nodes.ts';

const route = routesOf('components');

/** Nodes of one batch. */
const NODES_PER_BATCH = 10_000;
const IDS_PER_PAGE = 1_000;

const batchBody = Type.Object(
  {
    ...launchBody.properties,
    nodes: Type.Optional(Type.Array(nonEmpty, { minItems: 1, maxItems: NODES_PER_BATCH })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
        description: 'filters of the list of nodes, such as `{ "tags": "gpu" }`',
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: NODES_PER_BATCH, description: 'of active workflows' }),
    ),
    maxFailures: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: NODES_PER_BATCH,
        description: 'after this many failures no more are launched',
      }),
    ),
  },
  { additionalProperties: false },
);

const batchView = projection(batchRecord);

const filterSchema = Type.Object({ ...filterParameters(nodeFilters), ...nodeStates }, { additionalProperties: false });
const checkFilter: Check<typeof filterSchema> = queryCheck(filterSchema);

const noBatch = (id: string) => new NodewrightError('NOT_FOUND', `no batch has the id ${id}`);

/** A query has only texts. */
const heldText = ({ held }: Record<string, unknown>) => (typeof held === 'boolean' ? { held: String(held) } : {});

/** @throws NodewrightError INVALID */
async function nodesOf(engine: Engine, { nodes, filter }: Static<typeof batchBody>): Promise<readonly string[]> {
  if ((nodes === undefined) === (filter === undefined)) throw invalidInput('nodes', 'or filter: give one of them');
  if (nodes !== undefined || filter === undefined) return nodes ?? [];
  const query: Record<string, unknown> = splitFilters({ ...filter, ...heldText(filter) }, nodeFilters);
  checkFilter(query);
  const nodeIds: string[] = [];
  for (;;) {
    const page = { skip: nodeIds.length, limit: IDS_PER_PAGE, filter: filterOf(query, nodeFilters), fields: ['id'] };
    const { items, total } = await engine.nodes.list(page, nodeStateOf(query));
    if (total > NODES_PER_BATCH)
      throw invalidInput('filter', `matches ${total} nodes; expected at most ${NODES_PER_BATCH}`);
    nodeIds.push(...items.map(({ id }) => id));
    if (items.length < IDS_PER_PAGE) return nodeIds;
  }
}

export const batchRoutes = [
  route({
    id: 'startBatch',
    summary: 'Start a graph on many nodes; the rejection of one spoils nothing',
    method: 'POST',
    path: '/nodes/workflows',
    query: launchQuery,
    body: batchBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: batchRecord },
    rejections: { 404: 'No such graph', 429: 'Too many batches are not finished' },
    handle: async (call) => {
      const { engine, body } = call;
      const { nodeId: _, ...launch } = launchOf(call, null);
      const { concurrency, maxFailures } = body;
      const batch = await engine.batches.create({
        ...launch,
        nodes: await nodesOf(engine, body),
        ...(concurrency !== undefined && { concurrency }),
        ...(maxFailures !== undefined && { maxFailures }),
      });
      return { body: batchView(batch), headers: { Location: `/api/2.0/batches/${batch.id}` } };
    },
  }),
  route({
    id: 'getBatch',
    summary: 'Get a batch',
    method: 'GET',
    path: '/batches/:id',
    answer: { status: 200, schema: batchRecord },
    handle: async ({ engine, params: { id = '' } }) => ({
      status: 200,
      body: batchView(requireFound(await engine.batches.get(id), () => noBatch(id))),
    }),
  }),
  route({
    id: 'actOnBatch',
    summary: 'Cancel a batch: launch no more, and cancel its active workflows',
    method: 'PUT',
    path: '/batches/:id/action',
    body: cancelBody,
    answer: { status: 202, schema: batchRecord },
    rejections: { 409: 'Nothing of the batch is active' },
    handle: async ({ engine, identity, params: { id = '' } }) => ({
      status: 202,
      body: batchView(requireFound(await engine.batches.cancel(id, identity?.username), () => noBatch(id))),
    }),
  }),
];
