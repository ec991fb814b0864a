/** /workflows/plan: what a launch would do. */
import { Type } from 'typebox';
import { recoveries } from '../../engine/define/states.ts';
import { needed } from '../auth/rights.ts';
import { nodeIdNamed } from '../rejections.ts';
import { OPTIONS_LIMIT, route } from '../route.ts';
import { anyObject, nonEmpty, orNull, words } from '../views/common.ts';
import { usualRecord } from '../views/why.ts';
import { launchBody, launchOf, launchQuery } from './launch.ts';

const plannedTask = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  recovery: words(recoveries),
  destructive: Type.Boolean(),
  options: anyObject,
  usualMs: orNull(usualRecord),
  waitsFor: Type.Array(Type.String()),
});

const planRecord = Type.Object(
  {
    graph: Type.String(),
    definitionHash: Type.String(),
    node: orNull(Type.String()),
    tasks: Type.Array(plannedTask),
    needs: Type.Array(Type.String(), { description: 'privileges, of which any one suffices' }),
    refusals: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'empty: the launch would be accepted',
    }),
    usualMs: orNull(usualRecord),
  },
  { title: 'Plan' },
);

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
      return { status: 200, body: { ...plan, needs: needed('components', 'POST') } };
    },
  }),
];
