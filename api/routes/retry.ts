/** /workflows/:id/retry: runs a workflow that has ended again. */
import { type Static, Type } from 'typebox';
import { overrideRequest } from '../../engine/api-port/holds.ts';
import { anyObject, nonEmpty, words } from '../../engine/api-port/schemas.ts';
import { rolesForWorkflow } from '../auth/launcher-roles.ts';
import { noWorkflow, requireFound } from '../http/rejections.ts';
import { OPTIONS_LIMIT, route } from '../http/route.ts';
import { workflowPath, workflowRecord, workflowView } from '../views/workflow.ts';
import { noteTicket, overrideOf, teamOf, tracedBy } from './launch.ts';

const retryBody = Type.Object(
  {
    from: Type.Optional(
      Type.String({ minLength: 1, description: '`failed` (default), `start`, or the label of a task' }),
    ),
    options: Type.Optional(Type.Record(Type.String(), anyObject)),
    acknowledge: Type.Optional(
      Type.Array(nonEmpty, {
        maxItems: 1_000,
        uniqueItems: true,
        description: 'the `once` tasks that may run again although they may have taken effect',
      }),
    ),
    definition: Type.Optional(words(['newest'])),
    override: Type.Optional(overrideRequest),
    ticket: Type.Optional(nonEmpty),
  },
  { additionalProperties: false },
);

export const retryRoutes = [
  route({
    id: 'retryWorkflow',
    summary: 'Run a workflow that has ended again, from its failed task, a label or the start',
    method: 'POST',
    path: '/workflows/:id/retry',
    reach: { by: 'workflow' },
    resourceGroup: 'components',
    body: retryBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: workflowRecord },
    rejections: { 409: 'The workflow is active, its node is busy or held, or a `once` task may have taken effect' },
    handle: async ({ engine, identity, body, notes, header, scope, params: { id = '' } }) => {
      const { override, ...request } = body as Static<typeof retryBody>;
      const operator = identity === undefined ? {} : { operator: identity.username };
      const roles = await rolesForWorkflow({ engine, identity }, id);
      const row = requireFound(
        await engine.launches.retry(id, {
          ...request,
          ...operator,
          ...(scope && teamOf({ scope }, requireFound(await engine.workflows.get(id), () => noWorkflow(id)).graphName)),
          ...(roles && { launcherRoles: roles }),
          ...overrideOf({ identity, notes }, override === undefined ? {} : { override }),
          ...tracedBy({ header }),
        }),
        () => noWorkflow(id),
      );
      noteTicket({ notes }, row);
      if (row.acknowledged !== undefined) notes.acknowledged = row.acknowledged;
      return { body: workflowView(row, identity), headers: { Location: workflowPath(row.id) } };
    },
  }),
];
