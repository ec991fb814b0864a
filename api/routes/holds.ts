/** Holds of nodes: reasons to leave them alone. */
import { Type } from 'typebox';
import { holdChange, holdRecord, newHold } from '../../engine/api-port/holds.ts';
import type { Engine, Page } from '../../engine/api-port/index.ts';
import { filterOf, optionalTexts, optionalTimes, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { holdKinds } from '../../engine/vocabulary/states.ts';
import { narrowedPage } from '../http/list.ts';
import { nodeIdNamed } from '../http/rejections.ts';
import { listReply, recordReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { projection } from '../views/projection.ts';

const route = routesOf('components');
const holdView = projection(holdRecord);

const filters = {
  ...texts('id'),
  ...optionalTexts('createdBy'),
  ...times('createdAt', 'updatedAt'),
  ...optionalTimes('until'),
  kind: word(holdKinds),
};

const siteFilters = { ...texts('node'), ...filters };

const noHold = (id: string) => new NodewrightError('NOT_FOUND', `Could not find hold ${id}`);

/** A value may be any identifier of a node, as in paths; one that no node has matches no hold. */
async function siteFilterOf(engine: Engine, query: { node?: readonly string[] }): Promise<Page['filter']> {
  if (query.node === undefined) return filterOf(query, siteFilters);
  const node: string[] = [];
  for (const name of query.node) node.push((await engine.nodes.idOf(name)) ?? name);
  return filterOf({ ...query, node }, siteFilters);
}

const listOf = async (engine: Engine, page: Page) => listReply(await engine.holds.list(page), holdView);

export const holdRoutes = [
  route({
    id: 'listHolds',
    summary: 'List the holds of all nodes',
    method: 'GET',
    path: '/holds',
    list: siteFilters,
    answer: { status: 200, schema: Type.Array(holdRecord) },
    handle: async ({ engine, page, query }) =>
      listOf(engine, { ...page, filter: await siteFilterOf(engine, query as { node?: readonly string[] }) }),
  }),
  route({
    id: 'listNodeHolds',
    summary: 'List the holds of a node',
    method: 'GET',
    path: '/nodes/:identifier/holds',
    reach: { by: 'node' },
    list: filters,
    answer: { status: 200, schema: Type.Array(holdRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) =>
      listOf(engine, narrowedPage(page, { node: await nodeIdNamed(engine, identifier) })),
  }),
  route({
    id: 'addHold',
    summary: 'Add a hold to a node',
    method: 'POST',
    path: '/nodes/:identifier/holds',
    reach: { by: 'node' },
    body: newHold,
    answer: { status: 201, schema: holdRecord },
    rejections: { 409: 'The node has too many holds' },
    handle: async ({ engine, body, identity, params: { identifier = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      const hold = await engine.holds.add(node, body, identity?.username);
      return { body: holdView(hold), headers: { Location: `/api/2.0/nodes/${node}/holds/${hold.id}` } };
    },
  }),
  route({
    id: 'getHold',
    summary: 'Get a hold of a node',
    method: 'GET',
    path: '/nodes/:identifier/holds/:hold',
    reach: { by: 'node' },
    answer: { status: 200, schema: holdRecord },
    handle: async ({ engine, params: { identifier = '', hold = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      return recordReply(await engine.holds.get(node, hold), holdView, () => noHold(hold));
    },
  }),
  route({
    id: 'changeHold',
    summary: 'Change the reason of a hold, or its end',
    method: 'PATCH',
    path: '/nodes/:identifier/holds/:hold',
    body: holdChange,
    answer: { status: 200, schema: holdRecord },
    handle: async ({ engine, body, params: { identifier = '', hold = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      return recordReply(await engine.holds.change(node, hold, body), holdView, () => noHold(hold));
    },
  }),
  route({
    id: 'removeHold',
    summary: 'Remove a hold of a node',
    method: 'DELETE',
    path: '/nodes/:identifier/holds/:hold',
    answer: { status: 204 },
    handle: async ({ engine, identity, params: { identifier = '', hold = '' } }) => {
      const node = await nodeIdNamed(engine, identifier);
      return removalReply(await engine.holds.remove(node, hold, identity?.username), () => noHold(hold));
    },
  }),
];
