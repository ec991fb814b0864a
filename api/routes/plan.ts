/** /workflows/plan: what a launch would do. */
import { Type } from 'typebox';
import { planRecord } from '../../engine/api-port/launch-plans.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { neededPrivileges } from '../http/rights.ts';
import { OPTIONS_LIMIT, route } from '../http/route.ts';
import { projection } from '../views/projection.ts';
import { bodyNode, launchBody, launchOf, launchQuery } from './launch.ts';

const planView = projection(planRecord);

export const planRoutes = [
  route({
    id: 'planWorkflow',
    summary: 'Plan a launch: its tasks, the reasons against it, its usual time; nothing is started',
    method: 'POST',
    path: '/workflows/plan',
    reach: { by: 'handler' },
    resourceGroup: 'components',
    computes: true,
    query: launchQuery,
    body: Type.Object(
      { ...launchBody.properties, nodeId: Type.Optional(nonEmpty), node: Type.Optional(nonEmpty) },
      { additionalProperties: false },
    ),
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: planRecord },
    rejections: { 404: 'No such graph or node' },
    handle: async (call) => {
      const { engine, body } = call;
      const { node, ...reached } = await bodyNode(call, body.nodeId ?? body.node, (identifier) =>
        nodeIdNamed(engine, identifier),
      );
      const plan = await engine.plans.plan(launchOf({ ...call, ...reached }, node));
      return { body: planView({ ...plan, needs: neededPrivileges('components', 'POST') }) };
    },
  }),
];
