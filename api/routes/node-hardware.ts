/** The hardware of nodes, as their catalogs describe it. */
import { hardwareRecord } from '../../engine/api-port/hardware.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('components');
const hardwareView = projection(hardwareRecord);

export const nodeHardwareRoutes = [
  route({
    id: 'getNodeHardware',
    summary: 'Get the hardware of a node, as its latest catalogs describe it',
    method: 'GET',
    path: '/nodes/:identifier/hardware',
    reach: { by: 'node' },
    answer: { status: 200, schema: hardwareRecord },
    handle: async ({ engine, params: { identifier = '' } }) => ({
      body: await hardwareView(await engine.hardware.of(await nodeIdNamed(engine, identifier))),
    }),
  }),
];
