/** /notification: messages from nodes. Southbound only, so without a token. */
import { Type } from 'typebox';
import type { NotificationResult } from '../../engine/api-port/index.ts';
import { type Check, queryCheck } from '../../engine/api-port/query-check.ts';
import { anyObject, nonEmpty } from '../../engine/api-port/schemas.ts';
import { parseNonce } from '../../engine/vocabulary/callback.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { actorNamed, requireFound } from '../http/rejections.ts';
import { type Call, type Reply, routesOf } from '../http/route.ts';
import { admittedAs, withoutKey } from '../http/southbound-sender.ts';

const route = routesOf('general');

/** Merges query and body; a nodeId given in both must be equal. */
function mergeParameters(query: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  if (query.nodeId !== undefined && body.nodeId !== undefined && query.nodeId !== body.nodeId) {
    throw invalidInput('nodeId', 'differs between query and body; send it once');
  }
  return { ...body, ...query };
}

/** @returns undefined for a broadcast */
function nodeIdIn({ nodeId }: Record<string, unknown>): string | undefined {
  if (nodeId === undefined) return undefined;
  if (typeof nodeId !== 'string' || nodeId === '') throw invalidInput('nodeId', 'must be one non-empty string');
  return nodeId;
}

/** Maximum bytes of a body; installers and agents send short messages. */
export const NOTIFICATION_BYTES = 64 * 1_024;
/** Maximum characters of a nonce that a client chooses. */
const NONCE = 256;

/** A label or a nonce, given in query or body. */
function textIn(name: 'task' | 'nonce', value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw invalidInput(name, 'must be one non-empty string');
  return value;
}

/** @throws NodewrightError INVALID when header and parameter differ */
export function nonceIn({ nonce }: Record<string, unknown>, header: string): string | undefined {
  const given = textIn('nonce', nonce);
  if (given !== undefined && header !== '' && given !== header) {
    throw invalidInput('nonce', 'differs from the header Idempotency-Key; send only one of them');
  }
  const nonceText = given ?? (header === '' ? undefined : header);
  if (nonceText !== undefined && nonceText.length > NONCE)
    throw invalidInput('nonce', `is longer than ${NONCE} characters`);
  if (nonceText !== undefined && parseNonce(nonceText))
    throw invalidInput('nonce', 'belongs to a callback; call the URL that contains it');
  return nonceText;
}

export const replyOf = ({ isRepeat, answer }: NotificationResult): Reply => ({
  status: isRepeat ? 200 : 201,
  body: answer,
});

type NotificationCall = Call<Record<string, unknown>, Record<string, unknown>>;

async function notify(call: NotificationCall): Promise<Reply> {
  const { engine, query, body, sender } = call;
  const said = mergeParameters(query, body);
  const nonce = nonceIn(said, call.header('idempotency-key'));
  const parameters = withoutKey(said, sender);
  const nodeId = nodeIdIn(parameters);
  const task = textIn('task', parameters.task);
  if (nodeId === undefined && sender && call.engine.config.southboundKeys === 'require') throw forUsersOnly();
  const node = nodeId === undefined ? undefined : await actorNamed(engine, nodeId);
  if (node !== undefined) await admittedAs(call, node);
  const to = { ...(task !== undefined && { task }), ...(nonce !== undefined && { nonce }) };
  return replyOf(await engine.notifications.notify(parameters, node, to));
}

/** The nonce authenticates the sender; it is kept out of records, events and logs. */
async function callBack(call: NotificationCall): Promise<Reply> {
  const { engine, body, sender } = call;
  const { nonce = '', ...query } = call.query as Record<string, unknown> & { nonce?: string };
  const node = requireFound(await engine.notifications.nodeOfCallback(nonce), noCallback);
  if (node !== null) await admittedAs(call, node);
  const parameters = withoutKey({ ...body, ...query }, sender);
  return replyOf(requireFound(await engine.notifications.callBack(nonce, parameters), noCallback));
}

/** A key is that of one node, which may not end the waits of all. */
const forUsersOnly = () =>
  new NodewrightError('FORBIDDEN', 'Forbidden', {
    violations: [{ path: 'nodeId', message: 'is missing: where keys are required only users broadcast, northbound' }],
  });

const noCallback = () =>
  new NodewrightError(
    'NOT_FOUND',
    'No workflow has this callback: the workflow was removed, or the nonce is incomplete',
  );

const addressed = {
  task: Type.Optional(
    Type.String({ minLength: 1, description: 'Label of a task: only that task can receive the notification' }),
  ),
  nonce: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NONCE,
      description: 'A workflow accepts one notification with this nonce; equivalent to the header Idempotency-Key',
    }),
  ),
};

/** Northbound, where keys are required: a broadcast is about no node, so no key permits it. */
export const broadcastRoute = route({
  id: 'broadcast',
  summary: 'Notify all active workflows; only with `southboundKeys: "require"`',
  method: 'POST',
  path: '/notification',
  resourceGroup: 'components',
  query: Type.Object(addressed, { additionalProperties: Type.Unknown() }),
  body: anyObject,
  bodyLimit: NOTIFICATION_BYTES,
  answer: { status: 201, schema: anyObject },
  rejections: { 429: 'Too many broadcasts are in progress' },
  handle: (call) => {
    const { nodeId } = { ...(call.body as object), ...call.query } as Record<string, unknown>;
    if (nodeId !== undefined)
      throw invalidInput('nodeId', 'must be absent: POST /workflows/:id/notification is for one node');
    return notify(call as NotificationCall);
  },
});

const progressFields = {
  taskId: nonEmpty,
  maximum: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  value: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  description: Type.String(),
};
/** The client may split the fields over query and body, so neither schema can require all of them. */
const progressPart = Type.Partial(Type.Object(progressFields));
const progressWhole = Type.Object({ ...progressFields, description: Type.Optional(Type.String()) });
const checkWhole: Check<typeof progressWhole> = queryCheck(progressWhole);

async function report(call: Call<unknown, unknown>, status: number): Promise<Reply> {
  const { engine, query, body, sender } = call;
  const whole: unknown = withoutKey({ ...(body as object), ...(query as object) }, sender);
  checkWhole(whole);
  const { taskId, maximum, value, description = '' } = whole;
  const node = await engine.notifications.nodeOfTask(taskId);
  if (node) await admittedAs(call, node);
  if (!(await engine.notifications.progress(taskId, { value, maximum, description }))) {
    throw new NodewrightError('NOT_FOUND', `Could not find task with id ${taskId}`);
  }
  return { status, body: { taskId, maximum, value, description } };
}

const progressSchema = Type.Object(progressFields, { title: 'TaskProgress' });

export const notificationRoutes = [
  route({
    id: 'notify',
    summary: 'Notify the active workflow of a node, or all active workflows',
    method: 'POST',
    path: '/notification',
    query: Type.Object({
      nodeId: Type.Optional(nonEmpty),
      ...addressed,
    }),
    body: anyObject,
    bodyLimit: NOTIFICATION_BYTES,
    answer: { status: 201, schema: anyObject },
    repeat: 'A repeated nonce: returns the first answer and changes nothing',
    rejections: {
      404: 'No such node, or its active workflow has no such task',
      429: 'Too many notifications are queued, or too many broadcasts are in progress',
    },
    handle: (call) => notify(call as NotificationCall),
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    route({
      id: method === 'GET' ? 'getCallback' : 'postCallback',
      summary:
        method === 'GET'
          ? 'Complete the wait of a task run by its callback nonce, for clients that can only GET'
          : 'Complete the wait of a task run by its callback nonce',
      method,
      path: '/notification/callback',
      keyless: true,
      writes: true,
      query: Type.Object({ nonce: nonEmpty }),
      ...(method === 'POST' && { body: anyObject, bodyLimit: NOTIFICATION_BYTES }),
      answer: { status: 201, schema: anyObject },
      repeat: 'A repeat, or the task run has ended: returns the first answer and changes nothing',
      rejections: { 404: 'No workflow has this callback' },
      handle: (call) => callBack(call as NotificationCall),
    }),
  ),
  route({
    id: 'getProgress',
    summary: 'Report the progress of a task, for agents that can only GET',
    method: 'GET',
    path: '/notification/progress',
    query: progressWhole,
    writes: true,
    answer: { status: 200, schema: progressSchema },
    rejections: { 404: 'No such task' },
    handle: (call) => report(call, 200),
  }),
  route({
    id: 'postProgress',
    summary: 'Report the progress of a task',
    method: 'POST',
    path: '/notification/progress',
    query: progressPart,
    body: progressPart,
    bodyLimit: NOTIFICATION_BYTES,
    answer: { status: 201, schema: progressSchema },
    rejections: { 404: 'No such task' },
    handle: (call) => report(call, 201),
  }),
];
