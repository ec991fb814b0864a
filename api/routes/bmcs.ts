/** /bmcs: the gates of BMCs. */
import { Type } from 'typebox';
import { texts } from '../../engine/api-port/list-filter.ts';
import { orNull, time } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { withOldFields } from '../../engine/vocabulary/until-0.2.ts';
import { pagedList } from '../http/list.ts';
import { route } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const gate = withOldFields({
  running: Type.Integer({ description: 'commands that run' }),
  waiting: Type.Integer({ description: 'commands that wait for their turn' }),
  failures: Type.Integer({ description: 'commands in a row that got no answer; of a host: those of its worst port' }),
  retryAt: orNull(
    Type.String({
      format: 'date-time',
      description: 'no command is sent until then; of a host: if the circuits of all its ports are open',
    }),
  ),
  lastAnswerAt: orNull(time),
});

const bmcRecord = Type.Object(
  {
    id: Type.String(),
    host: Type.String(),
    ...gate,
    ports: Type.Array(
      Type.Object({
        address: Type.String({ description: '`host:port`, or the origin of a Redfish service' }),
        port: Type.Integer(),
        ...gate,
      }),
    ),
    nodes: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'whose obms name the host, as that of their BMC or of a PDU',
    }),
  },
  { title: 'Bmc' },
);

const bmcView = projection(bmcRecord);

export const bmcRoutes = [
  route({
    id: 'listBmcs',
    summary: 'List the BMCs that were sent commands lately, with their ports',
    method: 'GET',
    path: '/bmcs',
    resourceGroup: 'components',
    list: texts('id', 'host'),
    answer: { status: 200, schema: Type.Array(bmcRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = pagedList(await engine.bmcs.all(), page, 'host');
      const nodes = await engine.bmcs.nodesAt(items.map(({ host }) => host));
      return { body: items.map((bmc) => bmcView({ ...bmc, nodes: nodes.get(bmc.host) ?? [] })), total };
    },
  }),
  route({
    id: 'closeCircuit',
    summary: 'Close the circuit of a BMC: the attempts that wait for it begin immediately',
    method: 'DELETE',
    path: '/bmcs/:id/circuit',
    resourceGroup: 'components',
    answer: { status: 204 },
    handle: async ({ engine, identity, params: { id = '' } }) => {
      if (await engine.bmcs.reset(id, identity?.username)) return { status: 204 };
      throw new NodewrightError('NOT_FOUND', `no command was sent to a BMC at the host ${id} lately`);
    },
  }),
];
