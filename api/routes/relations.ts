/** Relations between nodes: a change on one side also shows on the other. */
import { Type } from 'typebox';
import { word } from '../../engine/api-port/list-filter.ts';
import { nodeRecord, relationRecord } from '../../engine/api-port/nodes.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { relationPairs } from '../../engine/define/node.ts';
import { pagedList } from '../http/list.ts';
import { nodeIdNamed, nodeNamed } from '../http/rejections.ts';
import { routesOf } from '../http/route.ts';
import { nodeView } from '../views/node.ts';

const route = routesOf('components');

const types = Object.entries(relationPairs).flat();
const ids = Type.Array(nonEmpty, { maxItems: 1_000 });
const targets = Type.Partial(Type.Object(Object.fromEntries(types.map((type) => [type, ids]))), {
  additionalProperties: false,
});

export const relationRoutes = [
  route({
    id: 'listRelations',
    summary: 'List the relations of a node',
    method: 'GET',
    path: '/nodes/:identifier/relations',
    list: { relationType: word(types) },
    answer: { status: 200, schema: Type.Array(relationRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const { relations } = await nodeNamed(engine, identifier);
      const { items, total } = pagedList(relations, page);
      return { body: items, total };
    },
  }),
  route({
    id: 'addRelations',
    summary: 'Add relations on both sides; returns the changed nodes',
    method: 'PUT',
    path: '/nodes/:identifier/relations',
    body: targets,
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    rejections: { 409: 'A target already has a container' },
    handle: async ({ engine, body, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const changed = await engine.nodes.relate(id, body as Record<string, string[]>);
      return { body: changed.map(nodeView) };
    },
  }),
  route({
    id: 'removeRelations',
    summary: 'Delete relations on both sides; returns the changed nodes',
    method: 'DELETE',
    path: '/nodes/:identifier/relations',
    body: targets,
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, body, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const changed = await engine.nodes.unrelate(id, body as Record<string, string[]>);
      return { body: changed.map(nodeView) };
    },
  }),
];
