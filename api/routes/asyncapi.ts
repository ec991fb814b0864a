/** /asyncapi.json: the events and notifications that the daemon sends. */
import { anyObject } from '../../engine/api-port/schemas.ts';
import { asyncApi } from '../documents/asyncapi.ts';
import { route } from '../http/route.ts';

let document: ReturnType<typeof asyncApi> | undefined;

export const asyncApiRoute = route({
  id: 'getAsyncApi',
  summary: 'Get the AsyncAPI document of events on AMQP, in web hooks and in the stream',
  method: 'GET',
  path: '/asyncapi.json',
  resourceGroup: 'document',
  answer: { status: 200, schema: anyObject },
  handle: async () => {
    document ??= asyncApi();
    return { status: 200, body: document };
  },
});
