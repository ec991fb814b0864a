/** POST /obms/led: the identification light of a node, as clients of RackHD switch it. */
import { Type } from 'typebox';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { rolesForLaunch } from '../auth/launcher-roles.ts';
import { requireFound } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { workflowPath, workflowRecord, workflowView } from '../views/workflow.ts';
import { tracedBy } from './launch.ts';

/** A workflow sends the command, as every command to a BMC: it has a record, a timeout and its attempts. */
export const ledRoute = route({
  id: 'switchLed',
  summary: 'Switch the identification light of a node on or off by its obm; the answer is the workflow that does it',
  method: 'POST',
  path: '/obms/led',
  resourceGroup: 'components',
  body: Type.Object({ nodeId: nonEmpty, value: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
  answer: { status: 201, schema: workflowRecord },
  rejections: { 409: 'The node has no obm, or another workflow is active on it' },
  handle: async ({ engine, identity, header, body: { nodeId: named, value = false } }) => {
    const nodeId = requireFound(await engine.nodes.idOf(named), () =>
      invalidInput('nodeId', `${named} is not a known node`),
    );
    const name = value ? 'Graph.IdentifyOn.Node' : 'Graph.IdentifyOff.Node';
    const row = await engine.launches.launch({
      name,
      options: {},
      nodeId,
      ...(identity !== undefined && { operator: identity.username }),
      ...rolesForLaunch({ engine, identity }, name),
      ...tracedBy({ header }),
    });
    return { status: 201, body: workflowView(row, identity), headers: { Location: workflowPath(row.id) } };
  },
});
