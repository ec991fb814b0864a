/** /skus: kinds of nodes, classified by rules on their catalogs. */
import { Type } from 'typebox';
import { optionalTexts, texts, times } from '../../engine/api-port/list-filter.ts';
import { nodeFilters } from '../../engine/api-port/node-filters.ts';
import { nodeRecord } from '../../engine/api-port/nodes.ts';
import { matchAnswer, matchQuestion, newSku, skuChange, skuRecord } from '../../engine/api-port/skus.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { bodyCheck } from '../http/check.ts';
import { narrowedPage, wholePage } from '../http/list.ts';
import { nodeIdNamed, requireFound } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { nodeView } from '../views/node.ts';
import { skuView } from '../views/sku.ts';

const route = routesOf('components');

const noSku = (id: string) => new NodewrightError('NOT_FOUND', `Could not find SKU ${id}`);

/** Bytes per SKU, since all SKUs are read together. */
const SKU_LIMIT = 256 * 1_024;

const checkNew = bodyCheck(newSku);

const pack = {
  // The last is curl's default for any body.
  types: ['application/gzip', 'application/x-gzip', 'application/octet-stream', 'application/x-www-form-urlencoded'],
  limit: 'packLimit',
  form: true,
} as const;

const packRoutes = [
  route({
    id: 'registerPack',
    summary: 'Create a SKU from a pack and reclassify all nodes',
    method: 'POST',
    path: '/skus/pack',
    upload: pack,
    answer: { status: 201, schema: skuRecord },
    rejections: {
      409: 'Another SKU has the name, or the limit of SKUs is reached',
      429: 'Too many concurrent uploads',
    },
    handle: async ({ engine, upload, identity }) => {
      const sku = await engine.packs.register(upload(), checkNew, identity?.username);
      return { body: skuView(sku), headers: { Location: `/api/2.0/skus/${sku.id}` } };
    },
  }),
  route({
    id: 'putPack',
    summary: 'Add or replace the pack of a SKU',
    method: 'PUT',
    path: '/skus/:id/pack',
    upload: pack,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'A graph would no longer run', 429: 'Too many concurrent uploads' },
    handle: async ({ engine, upload, identity, params: { id = '' } }) => {
      requireFound(await engine.skus.get(id), () => noSku(id));
      const sku = await engine.packs.put(id, upload(), identity?.username);
      return { body: skuView(requireFound(sku, () => noSku(id))) };
    },
  }),
  route({
    id: 'removePack',
    summary: 'Delete the pack of a SKU, if it has one',
    method: 'DELETE',
    path: '/skus/:id/pack',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => removalReply(await engine.packs.remove(id), () => noSku(id)),
  }),
];

export const skuRoutes = [
  ...packRoutes,
  route({
    id: 'listSkus',
    summary: 'List SKUs, oldest first',
    method: 'GET',
    path: '/skus',
    list: { ...texts('id', 'name'), ...optionalTexts('discoveryGraphName'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(skuRecord) },
    handle: async ({ engine, page }) => listReply(await engine.skus.list(page), skuView),
  }),
  route({
    id: 'createSku',
    summary: 'Create a SKU and reclassify all nodes',
    method: 'POST',
    path: '/skus',
    body: newSku,
    bodyLimit: SKU_LIMIT,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'Another SKU has the name, or the limit of SKUs is reached' },
    handle: async ({ engine, body }) => {
      const sku = await engine.skus.create(body);
      return { body: skuView(sku), headers: { Location: `/api/2.0/skus/${sku.id}` } };
    },
  }),
  route({
    id: 'putSku',
    summary: 'Create a SKU, or update the one of this name, and reclassify all nodes',
    method: 'PUT',
    path: '/skus',
    body: newSku,
    bodyLimit: SKU_LIMIT,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'The limit of SKUs is reached' },
    handle: async ({ engine, body }) => {
      const [there] = (await engine.skus.list(wholePage({ name: body.name }))).items;
      const sku = there && (await engine.skus.update(there.id, body));
      const savedSku = sku ?? (await engine.skus.create(body));
      return { body: skuView(savedSku), headers: { Location: `/api/2.0/skus/${savedSku.id}` } };
    },
  }),
  route({
    id: 'matchSkus',
    summary: 'Explain how a node matches rules or SKUs, or list the nodes that match rules',
    method: 'POST',
    path: '/skus/match',
    computes: true,
    body: matchQuestion,
    bodyLimit: SKU_LIMIT,
    list: {},
    answer: { status: 200, schema: matchAnswer },
    rejections: { 404: 'No such node' },
    handle: async ({ engine, page, body: { rules, nodeId } }) => {
      if (nodeId === undefined) {
        const { items, total } = await engine.skus.matching(rules ?? [], page);
        return { body: { nodes: items }, total };
      }
      const id = await nodeIdNamed(engine, nodeId);
      if (rules !== undefined) {
        return { body: { nodeId: id, ...(await engine.skus.explain(rules, id)) } };
      }
      const { items, total, sku } = await engine.skus.explainAll(id, page);
      return { body: { nodeId: id, sku, skus: items }, total };
    },
  }),
  route({
    id: 'getSku',
    summary: 'Get a SKU',
    method: 'GET',
    path: '/skus/:id',
    answer: { status: 200, schema: skuRecord },
    handle: async ({ engine, params: { id = '' } }) => recordReply(await engine.skus.get(id), skuView, () => noSku(id)),
  }),
  route({
    id: 'changeSku',
    summary: 'Update a SKU and reclassify all nodes',
    method: 'PATCH',
    path: '/skus/:id',
    body: skuChange,
    bodyLimit: SKU_LIMIT,
    answer: { status: 200, schema: skuRecord },
    rejections: { 409: 'Another SKU has the name' },
    handle: async ({ engine, body, params: { id = '' } }) =>
      recordReply(await engine.skus.update(id, body), skuView, () => noSku(id)),
  }),
  route({
    id: 'removeSku',
    summary: 'Delete a SKU and reclassify all nodes',
    method: 'DELETE',
    path: '/skus/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => removalReply(await engine.skus.remove(id), () => noSku(id)),
  }),
  route({
    id: 'listSkuNodes',
    summary: 'List the nodes of a SKU',
    method: 'GET',
    path: '/skus/:id/nodes',
    list: nodeFilters,
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      requireFound(await engine.skus.get(id), () => noSku(id));
      const { items, total } = await engine.nodes.list(narrowedPage(page, { sku: id }));
      return { body: await mapPaced(items, nodeView), total };
    },
  }),
];
