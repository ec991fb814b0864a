/** The power of nodes, asked of their BMCs. Workflows switch it. */
import { powerReading } from '../../engine/api-port/power.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('components');
const powerView = projection(powerReading);

export const nodePowerRoutes = [
  route({
    id: 'getNodePower',
    summary: 'Ask the BMC of a node for its power state',
    method: 'GET',
    path: '/nodes/:identifier/power',
    reach: { by: 'node' },
    answer: { status: 200, schema: powerReading },
    rejections: { 409: 'The node has no usable obm', 503: 'The BMC does not answer' },
    handle: async ({ engine, params: { identifier = '' } }) => ({
      body: powerView(await engine.power.ask(await nodeIdNamed(engine, identifier))),
    }),
  }),
];
