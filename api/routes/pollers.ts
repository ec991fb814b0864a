/** /pollers: read the event logs of BMCs at intervals. */
import { Type } from 'typebox';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { pollerTypes } from '../../engine/define/node.ts';
import { narrowed } from '../list.ts';
import { texts, times, word } from '../list-filter.ts';
import { nodeIdNamed, required } from '../rejections.ts';
import { route } from '../route.ts';
import { newPoller, pollerChange, pollerRecord, pollerView } from '../views/poller.ts';

const noPoller = (id: string) => new NodewrightError('NOT_FOUND', `Could not find poller ${id}`);
const filters = { ...texts('id'), ...times('createdAt', 'updatedAt'), type: word(pollerTypes) };

export const pollerRoutes = [
  route({
    id: 'listPollers',
    summary: 'List the pollers of all nodes',
    method: 'GET',
    path: '/pollers',
    resourceGroup: 'components',
    list: { ...texts('node'), ...filters },
    answer: { status: 200, schema: Type.Array(pollerRecord) },
    handle: async ({ engine, page }) => {
      const { items, total } = await engine.pollers.list(page);
      return { status: 200, body: items.map(pollerView), total };
    },
  }),
  route({
    id: 'listNodePollers',
    summary: 'List the pollers of a node',
    method: 'GET',
    path: '/nodes/:identifier/pollers',
    resourceGroup: 'components',
    list: filters,
    answer: { status: 200, schema: Type.Array(pollerRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const { items, total } = await engine.pollers.list(narrowed(page, { node: id }));
      return { status: 200, body: items.map(pollerView), total };
    },
  }),
  route({
    id: 'createPoller',
    summary: "Create a poller that publishes new entries of the event log of a node's BMC",
    method: 'POST',
    path: '/pollers',
    resourceGroup: 'components',
    body: newPoller,
    answer: { status: 201, schema: pollerRecord },
    rejections: { 409: 'The node already has a poller with that command' },
    handle: async ({ engine, body }) => {
      const node = required(await engine.nodes.find(body.node), () =>
        invalid('node', `${body.node} is not a known node`),
      );
      const poller = await engine.pollers.create({ ...body, node: node.id });
      return { status: 201, body: pollerView(poller), headers: { Location: `/api/2.0/pollers/${poller.id}` } };
    },
  }),
  route({
    id: 'getPoller',
    summary: 'Get a poller',
    method: 'GET',
    path: '/pollers/:id',
    resourceGroup: 'components',
    answer: { status: 200, schema: pollerRecord },
    handle: async ({ engine, params: { id = '' } }) => ({
      status: 200,
      body: pollerView(required(await engine.pollers.get(id), () => noPoller(id))),
    }),
  }),
  route({
    id: 'changePoller',
    summary: 'Update a poller and clear its back-off',
    method: 'PATCH',
    path: '/pollers/:id',
    resourceGroup: 'components',
    body: pollerChange,
    answer: { status: 200, schema: pollerRecord },
    handle: async ({ engine, body, params: { id = '' } }) => ({
      status: 200,
      body: pollerView(required(await engine.pollers.update(id, body), () => noPoller(id))),
    }),
  }),
  route({
    id: 'removePoller',
    summary: 'Delete a poller',
    method: 'DELETE',
    path: '/pollers/:id',
    resourceGroup: 'components',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) => {
      if (!(await engine.pollers.remove(id))) throw noPoller(id);
      return { status: 204 };
    },
  }),
];
