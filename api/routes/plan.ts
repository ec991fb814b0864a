/** /workflows/plan: what a launch would do. */
import { Type } from 'typebox';
import { planRecord } from '../../engine/api-port/launch-plans.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { neededPrivileges } from '../http/rights.ts';
import { OPTIONS_LIMIT, route } from '../http/route.ts';
import { projection } from '../views/projection.ts';
import { launchBody, launchOf, launchQuery } from './launch.ts';

const planView = projection(planRecord);

export const planRoutes = [
  route({
    id: 'planWorkflow',
    summary: 'Plan a launch: its tasks, the reasons against it, its usual time; nothing is started',
    method: 'POST',
    path: '/workflows/plan',
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
      const identifier = body.nodeId ?? body.node;
      const node = identifier === undefined ? null : await nodeIdNamed(engine, identifier);
      const plan = await engine.plans.plan(launchOf(call, node));
      return { body: planView({ ...plan, needs: neededPrivileges('components', 'POST') }) };
    },
  }),
];
