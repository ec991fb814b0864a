/** /notification/alerts: where the BMCs of nodes send Redfish events. They have no token, so it is open on both sides. */
import { Type } from 'typebox';
import { type Call, route } from '../route.ts';
import { anyObject } from '../views/common.ts';

export const alertRoute = route({
  id: 'receiveAlerts',
  summary: 'Take one Redfish alert, or `Events` with several, from a BMC whose address a lookup or an obm has',
  method: 'POST',
  path: '/notification/alerts',
  area: 'open',
  body: anyObject,
  // Far more than BMCs send at once, and little enough for who has no token.
  bodyLimit: 1_024 * 1_024,
  // What some BMCs say of JSON.
  bodyTypes: ['application/x-www-form-urlencoded'],
  answer: { status: 201, schema: Type.Object({ alerts: Type.Integer() }) },
  handle: async ({ engine, address, body }: Call<unknown, Record<string, unknown>>) => ({
    status: 201,
    body: { alerts: await engine.alerts.receive(address, body) },
  }),
});
