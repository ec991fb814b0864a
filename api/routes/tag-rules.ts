/** /tags: tags that nodes get by rules on their catalogs, and the nodes that have a tag, however they got it. */
import { Type } from 'typebox';
import type { Engine } from '../../engine/api-port/index.ts';
import { texts, times } from '../../engine/api-port/list-filter.ts';
import { nodeFilters } from '../../engine/api-port/node-filters.ts';
import { nodeRecord } from '../../engine/api-port/nodes.ts';
import { newTag, tagRecord } from '../../engine/api-port/skus.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { narrowedPage } from '../http/list.ts';
import { requireFound } from '../http/rejections.ts';
import { listReply, removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { nodeView } from '../views/node.ts';
import { tagView } from '../views/sku.ts';
import { workflowRecord, workflowView } from '../views/workflow.ts';
import { launchBody, launchOf, launchQuery } from './launch.ts';

const route = routesOf('components');

/** Nodes of one launch. */
const NODES_PER_LAUNCH = 1_000;

const noTag = (name: string) => new NodewrightError('NOT_FOUND', `Could not find a tag with rules named ${name}`);

/** @throws NodewrightError CONFLICT if they are too many for an answer with all workflows */
async function nodesWith(engine: Engine, tag: string): Promise<string[]> {
  const { items, total } = await engine.nodes.list({
    skip: 0,
    limit: NODES_PER_LAUNCH,
    filter: { tags: tag },
    fields: ['id'],
  });
  if (total <= NODES_PER_LAUNCH) return items.map(({ id }) => id);
  const advice = 'use POST /nodes/workflows with a filter';
  throw new NodewrightError(
    'CONFLICT',
    `${total} nodes have the tag ${tag}, expected at most ${NODES_PER_LAUNCH}; ${advice}`,
  );
}

export const tagRuleRoutes = [
  route({
    id: 'listTagRules',
    summary: 'List the tags that have rules, oldest first',
    method: 'GET',
    path: '/tags',
    list: { ...texts('id', 'name'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(tagRecord) },
    handle: async ({ engine, page }) => listReply(await engine.tags.list(page), tagView),
  }),
  route({
    id: 'createTagRule',
    summary: 'Create a tag that all nodes get whose catalogs match its rules',
    method: 'POST',
    path: '/tags',
    body: newTag,
    answer: { status: 201, schema: tagRecord },
    rejections: { 409: 'A tag with rules has the name, or the limit of tags is reached' },
    handle: async ({ engine, body }) => {
      const tag = await engine.tags.create(body);
      return {
        body: tagView(tag),
        headers: { Location: `/api/2.0/tags/${encodeURIComponent(tag.name)}` },
      };
    },
  }),
  route({
    id: 'getTagRule',
    summary: 'Get a tag that has rules',
    method: 'GET',
    path: '/tags/:name',
    answer: { status: 200, schema: tagRecord },
    handle: async ({ engine, params: { name = '' } }) => ({
      status: 200,
      body: tagView(requireFound(await engine.tags.get(name), () => noTag(name))),
    }),
  }),
  route({
    id: 'removeTagRule',
    summary: 'Delete the rules of a tag; nodes keep the tag',
    method: 'DELETE',
    path: '/tags/:name',
    answer: { status: 204 },
    handle: async ({ engine, params: { name = '' } }) =>
      removalReply(await engine.tags.remove(name), () => noTag(name)),
  }),
  route({
    id: 'listTagNodes',
    summary: 'List the nodes that have a tag',
    method: 'GET',
    path: '/tags/:name/nodes',
    list: nodeFilters,
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, page, params: { name = '' } }) => {
      const { items, total } = await engine.nodes.list(narrowedPage(page, { tags: name }));
      return { body: await mapPaced(items, nodeView), total };
    },
  }),
  route({
    id: 'startTagWorkflows',
    summary: 'Start a graph on all nodes that have a tag; the answer has those started, its Location the batch',
    method: 'POST',
    path: '/tags/:name/nodes/workflows',
    query: launchQuery,
    body: launchBody,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 202, schema: Type.Array(workflowRecord) },
    rejections: { 404: 'No such graph', 409: 'Too many nodes have the tag', 429: 'Too many batches are not finished' },
    handle: async (call) => {
      const { engine, identity, params } = call;
      const { nodeId: _, ...launch } = launchOf(call, null);
      const nodes = await nodesWith(engine, params.name ?? '');
      if (nodes.length === 0) return { body: [] };
      const { id, launched } = await engine.batches.create({ ...launch, nodes });
      const rows = await Promise.all(launched.map(({ workflow }) => engine.workflows.get(workflow)));
      const body = rows.flatMap((row) => (row === undefined ? [] : [workflowView(row, identity)]));
      return { body, headers: { Location: `/api/2.0/batches/${id}` } };
    },
  }),
];
