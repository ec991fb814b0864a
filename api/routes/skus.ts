/** /skus: kinds of nodes, classified by rules on their catalogs. */
import { Type } from 'typebox';
import { paced } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { bodyCheck } from '../http/check.ts';
import { narrowed, wholePage } from '../http/list.ts';
import { optionalTexts, texts, times } from '../http/list-filter.ts';
import { nodeIdNamed, required } from '../http/rejections.ts';
import { route } from '../http/route.ts';
import { nodeRecord, nodeView } from '../views/node.ts';
import { matchAnswer, matchQuestion, newSku, skuChange, skuRecord, skuView } from '../views/sku.ts';
import { nodeFilters } from './nodes.ts';

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
    resourceGroup: 'components',
    upload: pack,
    answer: { status: 201, schema: skuRecord },
    rejections: {
      409: 'Another SKU has the name, or the limit of SKUs is reached',
      429: 'Too many concurrent uploads',
    },
    handle: async ({ engine, upload, identity }) => {
      const sku = await engine.packs.register(upload(), checkNew, identity?.username);
      return { status: 201, body: skuView(sku), headers: { Location: `/api/2.0/skus/${sku.id}` } };
    },
  }),
  route({
    id: 'putPack',
    summary: 'Add or replace the pack of a SKU',
    method: 'PUT',
    path: '/skus/:id/pack',
    resourceGroup: 'components',
    upload: pack,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'A graph would no longer run', 429: 'Too many concurrent uploads' },
    handle: async ({ engine, upload, identity, params: { id = '' } }) => {
      required(await engine.skus.get(id), () => noSku(id));
      const sku = await engine.packs.put(id, upload(), identity?.username);
      return { status: 201, body: skuView(required(sku, () => noSku(id))) };
    },
  }),
  route({
    id: 'removePack',
    summary: 'Delete the pack of a SKU, if it has one',
    method: 'DELETE',
    path: '/skus/:id/pack',
    resourceGroup: 'components',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.packs.remove(id))) throw noSku(id);
      return { status: 204 };
    },
  }),
];

export const skuRoutes = [
  ...packRoutes,
  route({
    id: 'listSkus',
    summary: 'List SKUs, oldest first',
    method: 'GET',
    path: '/skus',
    resourceGroup: 'components',
    list: { ...texts('name'), ...optionalTexts('discoveryGraphName'), ...times('createdAt', 'updatedAt') },
    answer: { status: 200, schema: Type.Array(skuRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.skus.list(page);
      return { status: 200, body: items.map(skuView), total };
    },
  }),
  route({
    id: 'createSku',
    summary: 'Create a SKU and reclassify all nodes',
    method: 'POST',
    path: '/skus',
    resourceGroup: 'components',
    body: newSku,
    bodyLimit: SKU_LIMIT,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'Another SKU has the name, or the limit of SKUs is reached' },
    handle: async ({ engine, body }) => {
      const sku = await engine.skus.create(body);
      return { status: 201, body: skuView(sku), headers: { Location: `/api/2.0/skus/${sku.id}` } };
    },
  }),
  route({
    id: 'putSku',
    summary: 'Create a SKU, or update the one of this name, and reclassify all nodes',
    method: 'PUT',
    path: '/skus',
    resourceGroup: 'components',
    body: newSku,
    bodyLimit: SKU_LIMIT,
    answer: { status: 201, schema: skuRecord },
    rejections: { 409: 'The limit of SKUs is reached' },
    handle: async ({ engine, body }) => {
      const [there] = (await engine.skus.list(wholePage({ name: body.name }))).items;
      const sku = there && (await engine.skus.update(there.id, body));
      const made = sku ?? (await engine.skus.create(body));
      return { status: 201, body: skuView(made), headers: { Location: `/api/2.0/skus/${made.id}` } };
    },
  }),
  route({
    id: 'matchSkus',
    summary: 'Explain how a node matches rules or SKUs, or list the nodes that match rules',
    method: 'POST',
    path: '/skus/match',
    resourceGroup: 'components',
    computes: true,
    body: matchQuestion,
    bodyLimit: SKU_LIMIT,
    list: {},
    answer: { status: 200, schema: matchAnswer },
    rejections: { 404: 'No such node' },
    handle: async ({ engine, page, body: { rules, nodeId } }) => {
      if (nodeId === undefined) {
        const { items, total } = await engine.skus.matching(rules ?? [], page);
        return { status: 200, body: { nodes: items }, total };
      }
      const id = await nodeIdNamed(engine, nodeId);
      if (rules !== undefined) {
        return { status: 200, body: { nodeId: id, ...(await engine.skus.explain(rules, id)) } };
      }
      const { items, total, sku } = await engine.skus.explainAll(id, page);
      return { status: 200, body: { nodeId: id, sku, skus: items }, total };
    },
  }),
  route({
    id: 'getSku',
    summary: 'Get a SKU',
    method: 'GET',
    path: '/skus/:id',
    resourceGroup: 'components',
    answer: { status: 200, schema: skuRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const sku = required(await engine.skus.get(id), () => noSku(id));
      return { status: 200, body: skuView(sku) };
    },
  }),
  route({
    id: 'changeSku',
    summary: 'Update a SKU and reclassify all nodes',
    method: 'PATCH',
    path: '/skus/:id',
    resourceGroup: 'components',
    body: skuChange,
    bodyLimit: SKU_LIMIT,
    answer: { status: 200, schema: skuRecord },
    rejections: { 409: 'Another SKU has the name' },
    handle: async ({ engine, body, params: { id = '' } }) => {
      const sku = required(await engine.skus.update(id, body), () => noSku(id));
      return { status: 200, body: skuView(sku) };
    },
  }),
  route({
    id: 'removeSku',
    summary: 'Delete a SKU and reclassify all nodes',
    method: 'DELETE',
    path: '/skus/:id',
    resourceGroup: 'components',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.skus.remove(id))) throw noSku(id);
      return { status: 204 };
    },
  }),
  route({
    id: 'listSkuNodes',
    summary: 'List the nodes of a SKU',
    method: 'GET',
    path: '/skus/:id/nodes',
    resourceGroup: 'components',
    list: nodeFilters,
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, page, params: { id = '' } }) => {
      required(await engine.skus.get(id), () => noSku(id));
      const { items, total } = await engine.nodes.list(narrowed(page, { sku: id }));
      return { status: 200, body: await paced(items, nodeView), total };
    },
  }),
];
