/** Obms: access to the power control and BMC of a node. Secrets can be written but are never returned. */
import { Type } from 'typebox';
import type { ObmRecord } from '../../engine/api-port/index.ts';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { obmServices } from '../../engine/define/node.ts';
import { narrowed } from '../list.ts';
import { type ListFields, texts, times, word } from '../list-filter.ts';
import { nodeIdNamed, required } from '../rejections.ts';
import { type Reply, route } from '../route.ts';
import { nonEmpty } from '../views/common.ts';
import { newObm, obmRecord, obmView } from '../views/node.ts';

const filters: ListFields = { ...texts('id'), ...times('createdAt', 'updatedAt'), service: word(obmServices) };

const put = (obm: ObmRecord): Reply => ({
  status: 201,
  body: obmView(obm),
  headers: { Location: `/api/2.0/obms/${obm.id}` },
});

export const obmRoutes = [
  route({
    id: 'putNodeObm',
    summary: 'Set the obm of a node for one service',
    method: 'PUT',
    path: '/nodes/:identifier/obm',
    resourceGroup: 'components',
    body: Type.Object({ ...newObm.properties, nodeId: Type.Optional(nonEmpty) }, { additionalProperties: false }),
    answer: { status: 201, schema: obmRecord },
    handle: async ({ engine, body: { nodeId, ...obm }, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      if (nodeId !== undefined && (await engine.nodes.find(nodeId))?.id !== id) {
        throw invalid('nodeId', `is ${nodeId}, which is not the node in the path; leave it out`);
      }
      return put(await engine.obms.put(id, obm));
    },
  }),
  route({
    id: 'listNodeObms',
    summary: 'List the obms of a node',
    method: 'GET',
    path: '/nodes/:identifier/obm',
    resourceGroup: 'components',
    list: filters,
    answer: { status: 200, schema: Type.Array(obmRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const { items, total } = await engine.obms.list(narrowed(page, { nodeId: id }));
      return { status: 200, body: items.map(obmView), total };
    },
  }),
  route({
    id: 'putObm',
    summary: 'Set the obm of a node for one service; the body names the node',
    method: 'PUT',
    path: '/obms',
    resourceGroup: 'components',
    body: Type.Object({ nodeId: nonEmpty, ...newObm.properties }, { additionalProperties: false }),
    answer: { status: 201, schema: obmRecord },
    handle: async ({ engine, body: { nodeId, ...obm } }) => {
      const node = required(await engine.nodes.find(nodeId), () => invalid('nodeId', `${nodeId} is not a known node`));
      return put(await engine.obms.put(node.id, obm));
    },
  }),
  route({
    id: 'listObms',
    summary: 'List the obms of all nodes',
    method: 'GET',
    path: '/obms',
    resourceGroup: 'components',
    list: { ...texts('nodeId'), node: { kind: 'text', path: 'nodeId' }, ...filters },
    answer: { status: 200, schema: Type.Array(obmRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.obms.list(page);
      return { status: 200, body: items.map(obmView), total };
    },
  }),
  route({
    id: 'getObm',
    summary: 'Get an obm',
    method: 'GET',
    path: '/obms/:id',
    resourceGroup: 'components',
    answer: { status: 200, schema: obmRecord },
    handle: async ({ engine, params: { id = '' } }) => ({
      status: 200,
      body: obmView(required(await engine.obms.get(id), () => noObm(id))),
    }),
  }),
  route({
    id: 'removeObm',
    summary: 'Delete an obm',
    method: 'DELETE',
    path: '/obms/:id',
    resourceGroup: 'components',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.obms.remove(id))) throw noObm(id);
      return { status: 204 };
    },
  }),
];

const noObm = (id: string) => new NodewrightError('NOT_FOUND', `Could not find obm ${id}`);
