/** Catalogs: data that collectors found on nodes. A node's list shows the latest of each source. */
import { type Static, Type } from 'typebox';
import { type ListFields, texts, times } from '../../engine/api-port/list-filter.ts';
import { catalogData, catalogRecord } from '../../engine/api-port/nodes.ts';
import { pause } from '../../engine/api-port/values.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { narrowedPage } from '../http/list.ts';
import { nodeIdNamed, requireFound } from '../http/rejections.ts';
import { routesOf } from '../http/route.ts';
import { admittedAs, withoutKey } from '../http/southbound-sender.ts';
import { catalogView, catalogViews } from '../views/node.ts';

const route = routesOf('components');

const fields: ListFields = { ...texts('source'), ...times('createdAt', 'updatedAt') };
const latest: ListFields = { ...fields, id: { kind: 'text', path: 'catalog' } };
const all: ListFields = { ...fields, ...texts('id', 'node') };

/** Default page size; some catalogs are megabytes long. */
const CATALOGS_PER_PAGE = 100;

const FIRMWARE = '[Ff]irmware';

export const newCatalog = Type.Object(
  { source: Type.String({ minLength: 1, maxLength: 256 }), data: catalogData },
  { additionalProperties: false },
);

/** Also southbound: the agents of nodes post catalogs. */
export const addCatalogRoute = route({
  id: 'addCatalog',
  summary: 'Add a catalog to a node; the newest ten of each source are kept',
  method: 'POST',
  path: '/nodes/:identifier/catalogs',
  resourceGroup: 'components',
  body: newCatalog,
  // The configured limit applies. The largest in the field have 2 MiB and some 50,000 values.
  bodyLimit: Number.POSITIVE_INFINITY,
  bodyValues: 200_000,
  answer: { status: 201, schema: catalogRecord },
  rejections: { 429: 'The node has reached the limit of catalog sources' },
  handle: async (call) => {
    const { engine, body, params, sender } = call;
    const id = await nodeIdNamed(engine, params.identifier);
    const { source, data } = withoutKey(body as Static<typeof newCatalog>, sender);
    await pause();
    const catalog = await engine.catalogs.add(id, source, data, await admittedAs(call, id));
    return { status: 201, body: await catalogView(catalog), headers: { Location: `/api/2.0/catalogs/${catalog.id}` } };
  },
});

export const catalogRoutes = [
  addCatalogRoute,
  route({
    id: 'listNodeCatalogs',
    summary: 'List the latest catalogs of a node',
    method: 'GET',
    path: '/nodes/:identifier/catalogs',
    reach: { by: 'node' },
    list: latest,
    top: CATALOGS_PER_PAGE,
    answer: { status: 200, schema: Type.Array(catalogRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const { items, total } = await engine.catalogs.latestOfSources(narrowedPage(page, { node: id }));
      return { body: await catalogViews(items), total };
    },
  }),
  route({
    id: 'getNodeCatalog',
    summary: "Get a node's latest catalog of one source",
    method: 'GET',
    path: '/nodes/:identifier/catalogs/:source',
    reach: { by: 'node' },
    answer: { status: 200, schema: catalogRecord },
    handle: async ({ engine, params: { identifier = '', source = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const catalog = requireFound(await engine.catalogs.latestOf(id, source), () => noSource(identifier, source));
      return { body: await catalogView(catalog) };
    },
  }),
  route({
    id: 'listCatalogs',
    summary: 'List all stored catalogs of all nodes, newest first',
    method: 'GET',
    path: '/catalogs',
    list: all,
    top: CATALOGS_PER_PAGE,
    answer: { status: 200, schema: Type.Array(catalogRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.catalogs.all(page);
      return { body: await catalogViews(items), total };
    },
  }),
  route({
    id: 'listFirmwareCatalogs',
    summary: 'List the latest catalogs of a node whose source names firmware',
    method: 'GET',
    path: '/catalogs/:identifier/firmware',
    list: latest,
    top: CATALOGS_PER_PAGE,
    answer: { status: 200, schema: Type.Array(catalogRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      const { items, total } = await engine.catalogs.latestOfSources(
        narrowedPage(page, { node, source: { $regex: FIRMWARE } }),
      );
      return { body: await catalogViews(items), total };
    },
  }),
  route({
    id: 'getCatalog',
    summary: 'Get a catalog by id, including older versions',
    method: 'GET',
    path: '/catalogs/:id',
    answer: { status: 200, schema: catalogRecord },
    handle: async ({ engine, params: { id = '' } }) => {
      const catalog = requireFound(await engine.catalogs.get(id), () => noCatalog(id));
      return { body: await catalogView(catalog) };
    },
  }),
];

const noCatalog = (id: string) => new NodewrightError('NOT_FOUND', `Could not find catalog ${id}`);
const noSource = (identifier: string, source: string) =>
  new NodewrightError('NOT_FOUND', `The node ${identifier} has no catalog of source ${source}`);
