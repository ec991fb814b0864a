/** /notification: what nodes tell. Southbound only, so without a token. */
import { Type } from 'typebox';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { queryCheck } from '../check.ts';
import { found, noNode } from '../refusals.ts';
import { type Call, type Reply, route } from '../route.ts';
import { anyObject, nonEmpty } from '../views/common.ts';

/** Query and body are one; a field given in both has to say the same. */
function merged(query: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  if (query.nodeId !== undefined && body.nodeId !== undefined && query.nodeId !== body.nodeId) {
    throw invalid('nodeId', 'is not the same in query and body; give it once');
  }
  return { ...body, ...query };
}

/** @returns undefined for a broadcast */
function nodeIdIn({ nodeId }: Record<string, unknown>): string | undefined {
  if (nodeId === undefined) return undefined;
  if (typeof nodeId !== 'string' || nodeId === '') throw invalid('nodeId', 'must be one non-empty string');
  return nodeId;
}

async function notify({ engine, query, body }: Call<Record<string, unknown>, Record<string, unknown>>): Promise<Reply> {
  const parameters = merged(query, body);
  const nodeId = nodeIdIn(parameters);
  const node = nodeId && found(await engine.nodes.find(nodeId), () => noNode(nodeId));
  await engine.notifications.notify(parameters, node ? node.id : undefined);
  return { status: 201, body: parameters };
}

const progressFields = {
  taskId: nonEmpty,
  maximum: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  value: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  description: Type.String(),
};
/** Where they come from is the client's choice, so neither query nor body can ask for all of them. */
const progressPart = Type.Partial(Type.Object(progressFields));
const progressWhole = Type.Object({ ...progressFields, description: Type.Optional(Type.String()) });
const checkWhole = queryCheck(progressWhole);

interface Progress {
  taskId: string;
  maximum: number;
  value: number;
  description?: string;
}

async function report({ engine, query, body }: Call<unknown, unknown>, status: number): Promise<Reply> {
  const whole = { ...(body as object), ...(query as object) };
  checkWhole(whole);
  const { taskId, maximum, value, description = '' } = whole as Progress;
  if (!(await engine.notifications.progress(taskId, { value, maximum, description }))) {
    throw new NodewrightError('NOT_FOUND', `Could not find task with id ${taskId}`);
  }
  return { status, body: { taskId, maximum, value, description } };
}

const progressSchema = Type.Object(progressFields, { title: 'TaskProgress' });

export const notificationRoutes = [
  route({
    id: 'notify',
    summary: 'Tell the workflow on a node, or everybody, that something happened',
    method: 'POST',
    path: '/notification',
    area: 'general',
    query: Type.Object({ nodeId: Type.Optional(nonEmpty) }),
    body: anyObject,
    answer: { status: 201, schema: anyObject },
    refusals: { 404: 'No such node' },
    handle: (call) => notify(call as Call<Record<string, unknown>, Record<string, unknown>>),
  }),
  route({
    id: 'getProgress',
    summary: 'Report the progress of a task, for agents that can only GET',
    method: 'GET',
    path: '/notification/progress',
    area: 'general',
    query: progressWhole,
    answer: { status: 200, schema: progressSchema },
    refusals: { 404: 'No such task' },
    handle: (call) => report(call, 200),
  }),
  route({
    id: 'postProgress',
    summary: 'Report the progress of a task',
    method: 'POST',
    path: '/notification/progress',
    area: 'general',
    query: progressPart,
    body: progressPart,
    answer: { status: 201, schema: progressSchema },
    refusals: { 404: 'No such task' },
    handle: (call) => report(call, 201),
  }),
];
