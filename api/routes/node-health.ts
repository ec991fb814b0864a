/** The health of nodes: what the daemon and others report about them. */
import { newHealthReport, nodeHealth, SOURCE_PATTERN } from '../../engine/api-port/node-health.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { nodeIdNamed, noNode } from '../http/rejections.ts';
import { recordReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('components');
const healthView = projection(nodeHealth);

const sourceName = new RegExp(SOURCE_PATTERN);

export const nodeHealthRoutes = [
  route({
    id: 'getNodeHealth',
    summary: 'Get the health of a node, with the reports that it is based on',
    method: 'GET',
    path: '/nodes/:identifier/health',
    reach: { by: 'node' },
    answer: { status: 200, schema: nodeHealth },
    handle: async ({ engine, params: { identifier = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      return recordReply(await engine.health.of(node), healthView, () => noNode(identifier));
    },
  }),
  route({
    id: 'putNodeHealth',
    summary: 'Report on the health of a node as a source of your own',
    method: 'PUT',
    path: '/nodes/:identifier/health/:source',
    body: newHealthReport,
    answer: { status: 200, schema: nodeHealth },
    rejections: { 409: 'The source is built in, or the node has too many sources' },
    handle: async ({ engine, body, params: { identifier = '', source = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      if (!sourceName.test(source))
        throw invalidInput('source', 'is no name of a source; expected up to 64 letters, digits, dots, dashes and _');
      return recordReply(await engine.health.put(node, source, body), healthView, () => noNode(identifier));
    },
  }),
];
