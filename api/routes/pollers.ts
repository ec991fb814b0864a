/** /pollers: read event logs, sensors and the chassis of BMCs, and objects of SNMP agents, at intervals. */
import { Type } from 'typebox';
import { optionalTexts, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { newPoller, pollerChange, pollerRecord, readingRecord } from '../../engine/api-port/pollers.ts';
import { anyObject } from '../../engine/api-port/schemas.ts';
import { pollerTypes } from '../../engine/define/node.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { cutPage, narrowedPage } from '../http/list.ts';
import { nodeIdNamed, requireFound } from '../http/rejections.ts';
import { listReply, removalReply } from '../http/replies.ts';
import { routesOf } from '../http/route.ts';
import { redactAll } from '../views/common.ts';
import { pollerLibrary, pollerView } from '../views/poller.ts';

const route = routesOf('components');

const unknownNode = (named: string) => invalidInput('node', `${named} is not a known node`);
const noPoller = (id: string) => new NodewrightError('NOT_FOUND', `Could not find poller ${id}`);
const filters = { ...texts('id'), ...times('createdAt', 'updatedAt'), type: word(pollerTypes) };

const libraryRecord = Type.Object({ name: Type.String(), node: Type.Boolean(), config: Type.Array(anyObject) });

const libraryRoutes = [
  route({
    id: 'listPollerLibrary',
    summary: 'List the types of pollers, with the keys of their configs',
    method: 'GET',
    path: '/pollers/library',
    list: {},
    answer: { status: 200, schema: Type.Array(libraryRecord) },
    handle: async ({ page }) => {
      const { items, total } = cutPage(pollerLibrary, page);
      return { body: items, total };
    },
  }),
  route({
    id: 'getPollerLibrary',
    summary: 'Get a type of pollers, with the keys of its config',
    method: 'GET',
    path: '/pollers/library/:name',
    answer: { status: 200, schema: libraryRecord },
    handle: async ({ params: { name = '' } }) => {
      const type = pollerLibrary.find((one) => one.name === name);
      const notFoundError = () => new NodewrightError('NOT_FOUND', `Could not find a type of pollers named ${name}`);
      return { body: requireFound(type, notFoundError) };
    },
  }),
];

/** @param most of the results */
const dataRoute = (id: string, summary: string, path: string, most?: number) =>
  route({
    id,
    summary,
    method: 'GET',
    path,
    answer: { status: 200, schema: Type.Array(readingRecord) },
    rejections: { 204: 'Nothing was read yet' },
    handle: async ({ engine, params: { id: poller = '' } }) => {
      const readings = requireFound(await engine.pollers.data(poller), () => noPoller(poller)).slice(0, most);
      return readings.length === 0 ? { status: 204 } : { status: 200, body: redactAll(readings) };
    },
  });

export const pollerRoutes = [
  ...libraryRoutes,
  dataRoute(
    'listPollerData',
    'List the newest ten results of a poller, newest first; 204 if there is none',
    '/pollers/:id/data',
  ),
  dataRoute(
    'getPollerData',
    'Get the newest result of a poller, in a list; 204 if there is none',
    '/pollers/:id/data/current',
    1,
  ),
  route({
    id: 'listPollers',
    summary: 'List the pollers of all nodes',
    method: 'GET',
    path: '/pollers',
    list: { ...optionalTexts('node'), ...filters },
    answer: { status: 200, schema: Type.Array(pollerRecord) },
    handle: async ({ engine, page }) => listReply(await engine.pollers.list(page), pollerView),
  }),
  route({
    id: 'listNodePollers',
    summary: 'List the pollers of a node',
    method: 'GET',
    path: '/nodes/:identifier/pollers',
    list: filters,
    answer: { status: 200, schema: Type.Array(pollerRecord) },
    handle: async ({ engine, page, params: { identifier = '' } }) => {
      const id = await nodeIdNamed(engine, identifier);
      const { items, total } = await engine.pollers.list(narrowedPage(page, { node: id }));
      return { body: items.map(pollerView), total };
    },
  }),
  route({
    id: 'createPoller',
    summary: 'Create a poller: of a BMC or an SNMP agent, of a node or of a host',
    method: 'POST',
    path: '/pollers',
    body: newPoller,
    answer: { status: 201, schema: pollerRecord },
    rejections: { 409: 'The node already has a poller with that command' },
    handle: async ({ engine, body }) => {
      const { node: named = null } = body;
      const node = named === null ? null : requireFound(await engine.nodes.idOf(named), () => unknownNode(named));
      const poller = await engine.pollers.create({ ...body, node });
      return { body: pollerView(poller), headers: { Location: `/api/2.0/pollers/${poller.id}` } };
    },
  }),
  route({
    id: 'getPoller',
    summary: 'Get a poller',
    method: 'GET',
    path: '/pollers/:id',
    answer: { status: 200, schema: pollerRecord },
    handle: async ({ engine, params: { id = '' } }) => ({
      status: 200,
      body: pollerView(requireFound(await engine.pollers.get(id), () => noPoller(id))),
    }),
  }),
  route({
    id: 'changePoller',
    summary: 'Update a poller and clear its back-off',
    method: 'PATCH',
    path: '/pollers/:id',
    body: pollerChange,
    answer: { status: 200, schema: pollerRecord },
    handle: async ({ engine, body, params: { id = '' } }) => ({
      status: 200,
      body: pollerView(requireFound(await engine.pollers.update(id, body), () => noPoller(id))),
    }),
  }),
  route({
    id: 'removePoller',
    summary: 'Delete a poller',
    method: 'DELETE',
    path: '/pollers/:id',
    answer: { status: 204 },
    handle: async ({ engine, params: { id = '' } }) =>
      removalReply(await engine.pollers.remove(id), () => noPoller(id)),
  }),
];
