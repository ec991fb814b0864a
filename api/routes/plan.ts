/** /workflows/plan: what a launch would do. */
import { Type } from 'typebox';
import { type PowerEffect, powerEffects, recoveries } from '../../engine/vocabulary/states.ts';
import { withOldFields } from '../../engine/vocabulary/until-0.2.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { needed } from '../http/rights.ts';
import { OPTIONS_LIMIT, route } from '../http/route.ts';
import { words } from '../http/words.ts';
import { anyObject, nonEmpty, orNull } from '../views/common.ts';
import { projection } from '../views/projection.ts';
import { holderRecord, usualRecord } from '../views/why.ts';
import { launchBody, launchOf, launchQuery } from './launch.ts';

const plannedDrive = Type.Object({
  name: Type.String({ description: 'Below /dev, at the time of the catalog' }),
  wwid: orNull(Type.String()),
  model: orNull(Type.String()),
  serial: orNull(Type.String()),
  sizeBytes: orNull(Type.Number()),
});

const plannedTask = Type.Object({
  label: Type.String(),
  taskName: Type.String(),
  recovery: words(recoveries),
  destructive: Type.Boolean({
    description: 'It destroys data of the machine; of a task that runs a graph: that graph does',
  }),
  drives: orNull(
    Type.Array(plannedDrive, {
      description:
        'The drives whose content it destroys, by the catalogs of the node; null: only its run can know them',
    }),
  ),
  power: orNull(
    Type.Unsafe<PowerEffect>({
      ...words(powerEffects),
      description: 'Its effect on the power of the node; `cycle`: off and on, or a reset; null: none',
    }),
  ),
  options: anyObject,
  usualMs: orNull(usualRecord),
  waitsFor: Type.Array(Type.String()),
});

const planRecord = Type.Object(
  withOldFields({
    graph: Type.String(),
    definitionHash: Type.String(),
    node: orNull(Type.String()),
    tasks: Type.Array(plannedTask),
    holder: orNull(
      Type.Object(holderRecord.properties, { description: 'The active workflow for which the node is busy' }),
    ),
    needs: Type.Array(Type.String(), { description: 'privileges, of which any one suffices' }),
    rejections: Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
      description: 'empty: the launch would be accepted',
    }),
    usualMs: orNull(usualRecord),
  }),
  { title: 'Plan' },
);

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
      return { body: planView({ ...plan, needs: needed('components', 'POST') }) };
    },
  }),
];
