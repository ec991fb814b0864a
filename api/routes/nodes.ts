/** /nodes: create, list, get, update, delete. Catalogs, obms, tags and other dependents have files of their own. */
import { type Static, Type } from 'typebox';
import type { Engine, NodeChange } from '../../engine/api-port/index.ts';
import { nodeFilters, nodeStateOf, nodeStates } from '../../engine/api-port/node-filters.ts';
import { newObm, nodeRecord, relationRecord } from '../../engine/api-port/nodes.ts';
import { anyObject, nonEmpty, words } from '../../engine/api-port/schemas.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { nodeTypes } from '../../engine/define/node.ts';
import { nodeIdNamed, nodeNamed, noNode, requireFound } from '../http/rejections.ts';
import { removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import { nodeView } from '../views/node.ts';

const route = routesOf('components');

/** Fields that a client may set at any time. Both spellings of autoDiscover are accepted. */
const settable = {
  type: words(nodeTypes),
  name: nonEmpty,
  identifiers: Type.Array(nonEmpty),
  autoDiscover: Type.Boolean(),
  autodiscover: Type.Boolean(),
  tags: Type.Array(nonEmpty),
  service: Type.String(),
  config: anyObject,
};

const nodeChange = Type.Partial(Type.Object(settable), { additionalProperties: false });

export const newNode = Type.Object(
  {
    ...nodeChange.properties,
    type: settable.type,
    name: settable.name,
    obms: Type.Optional(Type.Array(newObm)),
    relations: Type.Optional(Type.Array(relationRecord)),
  },
  { additionalProperties: false },
);

const NODES_PER_REQUEST = 1_000;

const newNodes = Type.Array(newNode, { minItems: 1, maxItems: NODES_PER_REQUEST });

/** Normalizes to autoDiscover, the spelling of the answers, which takes precedence. */
function withSpelling<T extends { autoDiscover?: boolean; autodiscover?: boolean }>({ autodiscover, ...input }: T) {
  return autodiscover === undefined ? input : { autoDiscover: autodiscover, ...input };
}

async function createAll(engine: Engine, nodes: readonly Static<typeof newNode>[]) {
  const created = await engine.nodes.createAll(nodes.map(withSpelling));
  if (created.some(({ autoDiscover }) => autoDiscover)) engine.discovery.soon();
  return mapPaced(created, nodeView);
}

export const nodeRoutes = [
  route({
    id: 'createNode',
    summary: 'Create a node, or a list of nodes as a whole; autoDiscover starts their discovery',
    method: 'POST',
    path: '/nodes',
    body: Type.Union([newNode, newNodes]),
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: Type.Union([nodeRecord, Type.Array(nodeRecord)]) },
    rejections: { 409: 'Another node has one of the identifiers' },
    handle: async ({ engine, body }) => {
      if (Array.isArray(body)) return { body: await createAll(engine, body) };
      const node = await engine.nodes.create(withSpelling(body));
      if (node.autoDiscover) await engine.discovery.begin(node.id);
      return { body: nodeView(node), headers: { Location: `/api/2.0/nodes/${node.id}` } };
    },
  }),
  route({
    id: 'listNodes',
    summary: 'List nodes',
    method: 'GET',
    path: '/nodes',
    list: nodeFilters,
    query: Type.Object(nodeStates),
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, page, query }) => {
      const { items, total } = await engine.nodes.list(page, nodeStateOf(query));
      return { body: await mapPaced(items, nodeView), total };
    },
  }),
  route({
    id: 'getNode',
    summary: 'Get a node by id or another identifier',
    method: 'GET',
    path: '/nodes/:identifier',
    answer: { status: 200, schema: nodeRecord },
    handle: async ({ engine, params: { identifier = '' } }) => {
      const node = await nodeNamed(engine, identifier);
      return { body: nodeView(node) };
    },
  }),
  route({
    id: 'changeNode',
    summary: 'Update a node',
    method: 'PATCH',
    path: '/nodes/:identifier',
    body: nodeChange,
    answer: { status: 200, schema: nodeRecord },
    rejections: { 409: 'Another node has one of the identifiers' },
    handle: async ({ engine, body, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const change: NodeChange = withSpelling(body as Static<typeof nodeChange>);
      const node = requireFound(await engine.nodes.update(id, change), () => noNode(identifier));
      return { body: nodeView(node) };
    },
  }),
  route({
    id: 'removeNode',
    summary: 'Delete a node and the relations of other nodes to it',
    method: 'DELETE',
    path: '/nodes/:identifier',
    answer: { status: 204 },
    rejections: { 409: 'A workflow is active on the node' },
    handle: async ({ engine, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      return removalReply(await engine.nodes.remove(id), () => noNode(identifier));
    },
  }),
];
