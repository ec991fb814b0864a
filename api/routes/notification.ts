/** /notification: what nodes tell. Southbound only, so without a token. */
import { Type } from 'typebox';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { queryCheck } from '../check.ts';
import { found, noNode } from '../refusals.ts';
import { type Call, type Reply, route } from '../route.ts';
import { admitted, withoutKey } from '../sender.ts';
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

/** Bytes; installers and agents say a few words. */
const BODY = 64 * 1_024;

async function notify(call: Call<Record<string, unknown>, Record<string, unknown>>): Promise<Reply> {
  const { engine, query, body, sender } = call;
  const parameters = withoutKey(merged(query, body), sender);
  const nodeId = nodeIdIn(parameters);
  const node = nodeId && found(await engine.nodes.find(nodeId), () => noNode(nodeId));
  if (node) await admitted(call, node.id);
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

async function report(call: Call<unknown, unknown>, status: number): Promise<Reply> {
  const { engine, query, body, sender } = call;
  const whole = withoutKey({ ...(body as object), ...(query as object) }, sender);
  checkWhole(whole);
  const { taskId, maximum, value, description = '' } = whole as Progress;
  const node = await engine.notifications.nodeOfTask(taskId);
  if (node) await admitted(call, node);
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
    bodyLimit: BODY,
    answer: { status: 201, schema: anyObject },
    refusals: { 404: 'No such node', 429: 'Too many broadcasts are under way' },
    handle: (call) => notify(call as Call<Record<string, unknown>, Record<string, unknown>>),
  }),
  route({
    id: 'getProgress',
    summary: 'Report the progress of a task, for agents that can only GET',
    method: 'GET',
    path: '/notification/progress',
    area: 'general',
    query: progressWhole,
    writes: true,
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
    bodyLimit: BODY,
    answer: { status: 201, schema: progressSchema },
    refusals: { 404: 'No such task' },
    handle: (call) => report(call, 201),
  }),
];
