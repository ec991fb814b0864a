/** /notification/alerts: receives Redfish events from the BMCs of nodes. Open on both sides: BMCs have no token. */
import { Type } from 'typebox';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { type Call, route } from '../http/route.ts';

export const alertRoute = route({
  id: 'receiveAlerts',
  summary: 'Receive one Redfish alert, or several in `Events`, from a BMC whose address is in a lookup or an obm',
  method: 'POST',
  path: '/notification/alerts',
  resourceGroup: 'open',
  body: anyObject,
  // Far more than BMCs send at a time, yet a small limit for clients without a token.
  bodyLimit: 256 * 1_024,
  // Some BMCs send JSON with this content type.
  bodyTypes: ['application/x-www-form-urlencoded'],
  answer: { status: 201, schema: Type.Object({ alerts: Type.Integer() }) },
  handle: async ({ engine, address, body }: Call<unknown, Record<string, unknown>>) => ({
    status: 201,
    body: { alerts: await engine.alerts.receive(address, body) },
  }),
});
