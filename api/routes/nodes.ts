/** /nodes: create, list, get, update, delete. Catalogs, obms, tags and other dependents have files of their own. */
import { type Static, Type } from 'typebox';
import type { Engine, NamedTeam, NewNode, NodeRecord } from '../../engine/api-port/index.ts';
import { derivedNodeFilters, nodeFilters, nodeStateOf, nodeStates } from '../../engine/api-port/node-filters.ts';
import { newObm, nodeRecord, relationRecord } from '../../engine/api-port/nodes.ts';
import { anyObject, nonEmpty, orNull, withText, words } from '../../engine/api-port/schemas.ts';
import { teamName } from '../../engine/api-port/teams.ts';
import { mapPaced } from '../../engine/api-port/values.ts';
import { nodeTypes } from '../../engine/define/node.ts';
import { invalidInput } from '../../engine/vocabulary/errors.ts';
import { checkMemberChange, nodesWithin } from '../auth/member-nodes.ts';
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
  owner: orNull(withText(teamName, 'the team that it belongs to; null: none')),
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

function newNodeOf({ owner, ...input }: Static<typeof newNode>): NewNode {
  return { ...withSpelling(input), ...(typeof owner === 'string' && { owner }) };
}

const ownersIn = (nodes: readonly NewNode[], at: (index: number) => string): NamedTeam[] =>
  nodes.flatMap(({ owner }, index) => (owner === undefined ? [] : [{ name: owner, at: at(index) }]));

async function create(engine: Engine, input: Static<typeof newNode>): Promise<NodeRecord> {
  const node = newNodeOf(input);
  return engine.teams.naming(
    ownersIn([node], () => 'owner'),
    () => engine.nodes.create(node),
  );
}

/** The owner changes alone: of two changes one might be made, and the other rejected. */
async function change(engine: Engine, id: string, given: Static<typeof nodeChange>): Promise<NodeRecord | undefined> {
  const { owner, ...others } = withSpelling(given);
  if (owner === undefined) return engine.nodes.update(id, others);
  if (Object.keys(others).length > 0)
    throw invalidInput('owner', 'changes alone; send the other fields in a request of their own');
  return (await engine.teams.assign(id, owner)) ? engine.nodes.find(id) : undefined;
}

async function createAll(engine: Engine, nodes: readonly Static<typeof newNode>[]) {
  const inputs = nodes.map(newNodeOf);
  const created = await engine.teams.naming(
    ownersIn(inputs, (index) => `[${index}].owner`),
    () => engine.nodes.createAll(inputs),
  );
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
      const node = await create(engine, body);
      if (node.autoDiscover) await engine.discovery.begin(node.id);
      return { body: nodeView(node), headers: { Location: `/api/2.0/nodes/${node.id}` } };
    },
  }),
  route({
    id: 'listNodes',
    summary: 'List nodes',
    method: 'GET',
    path: '/nodes',
    reach: { by: 'handler', list: 'owner' },
    list: nodeFilters,
    filters: derivedNodeFilters,
    query: Type.Object(nodeStates),
    answer: { status: 200, schema: Type.Array(nodeRecord) },
    handle: async ({ engine, page, query, scope }) => {
      const { items, total } = await engine.nodes.list(page, nodeStateOf(query));
      return { body: await mapPaced(await nodesWithin(engine, scope, items), nodeView), total };
    },
  }),
  route({
    id: 'getNode',
    summary: 'Get a node by id or another identifier',
    method: 'GET',
    path: '/nodes/:identifier',
    reach: { by: 'node' },
    answer: { status: 200, schema: nodeRecord },
    handle: async ({ engine, scope, params: { identifier = '' } }) => {
      const [node] = await nodesWithin(engine, scope, [await nodeNamed(engine, identifier)]);
      return { body: nodeView(node as NodeRecord) };
    },
  }),
  route({
    id: 'changeNode',
    summary: 'Update a node',
    method: 'PATCH',
    path: '/nodes/:identifier',
    reach: { by: 'node' },
    body: nodeChange,
    answer: { status: 200, schema: nodeRecord },
    rejections: { 409: 'Another node has one of the identifiers, or a workflow is active and the owner would change' },
    handle: async ({ engine, body, scope, params: { identifier = '' } }) => {
      checkMemberChange(scope, body);
      const id = await nodeIdNamed(engine, identifier);
      const node = requireFound(await change(engine, id, body as Static<typeof nodeChange>), () => noNode(identifier));
      const [visibleNode] = await nodesWithin(engine, scope, [node]);
      return { body: nodeView(visibleNode as NodeRecord) };
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
