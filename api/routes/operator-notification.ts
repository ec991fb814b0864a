/** /workflows/:id/notification: a user's notification, instead of that of the node. */
import { Type } from 'typebox';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { noWorkflow, requireFound } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { NOTIFICATION_BYTES, nonceIn, replyOf } from './notification.ts';

export const operatorNotificationRoutes = [
  route({
    id: 'notifyWorkflow',
    summary: 'Complete a wait of a workflow for a notification, instead of its node',
    method: 'POST',
    path: '/workflows/:id/notification',
    reach: { by: 'workflow' },
    resourceGroup: 'components',
    query: Type.Object(
      {
        label: Type.Optional(
          Type.String({ minLength: 1, description: 'Of the task that waits; absent: the only one that waits' }),
        ),
      },
      { additionalProperties: false },
    ),
    body: anyObject,
    bodyLimit: NOTIFICATION_BYTES,
    answer: { status: 201, schema: anyObject },
    repeat: 'A repeat, by its Idempotency-Key or of the same wait: returns the first answer and changes nothing',
    rejections: {
      404: 'No such workflow, or it has no such task',
      409: 'No task waits for a notification, or several do and none is named',
    },
    handle: async ({ engine, body, query: { label }, header, params: { id = '' } }) => {
      const nonce = nonceIn({}, header('idempotency-key'));
      const to = { ...(label !== undefined && { task: label }), ...(nonce !== undefined && { nonce }) };
      const notified = await engine.notifications.notifyWorkflow(id, body as Record<string, unknown>, to);
      return replyOf(requireFound(notified, () => noWorkflow(id)));
    },
  }),
];
