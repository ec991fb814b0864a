/** Tags of nodes. */
import { Type } from 'typebox';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { cutPage } from '../http/list.ts';
import { nodeIdNamed, nodeNamed, noNode, requireFound } from '../http/rejections.ts';
import { removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';

const route = routesOf('components');

const tags = Type.Array(Type.String());

export const tagRoutes = [
  route({
    id: 'listTags',
    summary: 'List the tags of a node',
    method: 'GET',
    path: '/nodes/:identifier/tags',
    reach: { by: 'node' },
    list: {},
    answer: { status: 200, schema: tags },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const { items, total } = cutPage((await nodeNamed(engine, identifier)).tags, page);
      return { body: items, total };
    },
  }),
  route({
    id: 'addTags',
    summary: 'Add tags to a node',
    method: 'PATCH',
    path: '/nodes/:identifier/tags',
    reach: { by: 'node' },
    body: Type.Object({ tags: Type.Array(nonEmpty, { maxItems: 1_000 }) }, { additionalProperties: false }),
    answer: { status: 200, schema: tags },
    handle: async ({ engine, body, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      return { body: requireFound(await engine.nodes.tag(id, body.tags), () => noNode(identifier)) };
    },
  }),
  route({
    id: 'removeTagFromAll',
    summary: 'Remove a tag from all nodes',
    method: 'DELETE',
    path: '/nodes/tags/:tag',
    answer: { status: 204 },
    handle: async ({ engine, params: { tag = '' } }) => {
      await engine.nodes.untagAll(tag);
      return { status: 204 };
    },
  }),
  route({
    id: 'removeTag',
    summary: 'Remove a tag from a node',
    method: 'DELETE',
    path: '/nodes/:identifier/tags/:tag',
    reach: { by: 'node' },
    answer: { status: 204 },
    handle: async ({ engine, params: { identifier = '', tag = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      return removalReply(await engine.nodes.untag(id, tag), () => noTag(identifier, tag));
    },
  }),
];

const noTag = (identifier: string, tag: string) =>
  new NodewrightError('NOT_FOUND', `The node ${identifier} has no tag ${tag}`);
