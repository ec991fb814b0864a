/** /workflows/graphs and /workflows/tasks: the definitions that can be run. */
import { Type } from 'typebox';
import type { DefinitionView, GraphWarning } from '../../engine/api-port/index.ts';
import { optionalTexts, texts, word } from '../../engine/api-port/list-filter.ts';
import { anyObject, words } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { recoveries } from '../../engine/vocabulary/states.ts';
import { cutPage, pagedList } from '../http/list.ts';
import { requireFound } from '../http/rejections.ts';
import { removalReply } from '../http/replies.ts';
import { OPTIONS_LIMIT, routesOf } from '../http/route.ts';
import {
  findingsRecord,
  graphRecord,
  graphView,
  machineRecord,
  rejectedDefinition,
  taskRecord,
  taskView,
  versionRecord,
} from '../views/definition.ts';
import { graphPath, taskPath } from '../views/workflow.ts';

const route = routesOf('library');

const filters = texts('injectableName', 'friendlyName');
const taskFilters = { ...filters, ...optionalTexts('implementsTask'), recovery: word(recoveries) };

const noGraph = (name: string) => new NodewrightError('NOT_FOUND', `Graph definition not found for ${name}`);
const noVersion = (name: string, hash: string | undefined) =>
  hash === undefined ? noGraph(name) : new NodewrightError('NOT_FOUND', `${name} has no version ${hash}`);

const versionQuery = Type.Object({
  hash: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'of a version; absent: the current one' }),
  ),
});

const releaseBody = Type.Object({ command: words(['release']) }, { additionalProperties: false });

const noTask = (name: string) => new NodewrightError('NOT_FOUND', `Task definition not found for ${name}`);

/** RackHD's clients ask for this name to get all. */
const ALL = '*';
const toList = { 302: 'The name is `*`: see the list of all' };

const put = (definition: DefinitionView, path: string) => ({
  status: 201,
  body: definition,
  headers: { Location: path },
});

/** Bytes; the check has all of them, with messages. */
const HEADER_LIMIT = 2_048;

/** The codes of warnings and their places: `NO_TIMEOUT label=back, NEVER_REACHED state=island`. */
function warningsHeader(warnings: readonly GraphWarning[]): string {
  const parts = warnings.map(({ code, state, label, path }) => {
    const [place] = Object.entries({ state, label, path }).filter(([, value]) => value !== undefined);
    return place === undefined ? code : `${code} ${place[0]}=${encodeURIComponent(place[1] as string)}`;
  });
  let header = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    if (header.length + part.length > HEADER_LIMIT) return `${header}, ...`;
    header += `, ${part}`;
  }
  return header;
}

const graphRoutes = [
  route({
    id: 'listGraphs',
    summary: 'List graphs, or with errors=true the definitions that failed to load',
    method: 'GET',
    path: '/workflows/graphs',
    reach: { by: 'free' },
    list: filters,
    query: Type.Object({ errors: Type.Optional(Type.Boolean()) }),
    answer: { status: 200, schema: Type.Array(Type.Union([graphView, rejectedDefinition])) },
    handle: async ({ engine, page, query }) => {
      const { items, total } = query.errors
        ? cutPage(await engine.library.errors(), page)
        : pagedList(await engine.library.graphs(), page, 'injectableName');
      return { body: items, total };
    },
  }),
  route({
    id: 'putGraph',
    summary: 'Add or replace a graph',
    method: 'PUT',
    path: '/workflows/graphs',
    body: graphRecord,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: graphView },
    rejections: { 409: 'A file defines a graph with that name' },
    handle: async ({ engine, body, identity }) => {
      const { definition, warnings } = await engine.library.putGraph(body, identity?.username);
      const answer = put(definition, graphPath(definition.injectableName));
      if (warnings.length === 0) return answer;
      return { ...answer, headers: { ...answer.headers, 'X-Warnings': warningsHeader(warnings) } };
    },
  }),
  route({
    id: 'checkGraph',
    summary: 'Check a graph: all that is wrong, and warnings; changes nothing',
    method: 'POST',
    path: '/workflows/graphs/check',
    computes: true,
    body: anyObject,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 200, schema: findingsRecord },
    handle: async ({ engine, body }) => ({ body: await engine.library.checkGraph(body) }),
  }),
  route({
    id: 'getGraph',
    summary: 'Get a graph as it was uploaded, or one of its versions',
    method: 'GET',
    path: '/workflows/graphs/:name',
    reach: { by: 'free' },
    query: versionQuery,
    answer: { status: 200, schema: graphView },
    rejections: toList,
    handle: async ({ engine, query: { hash }, params: { name = '' } }) => {
      if (name === ALL) return { status: 302, headers: { Location: '/api/current/workflows/graphs' } };
      return { body: requireFound(await engine.library.graph(name, hash), () => noVersion(name, hash)) };
    },
  }),
  route({
    id: 'listGraphVersions',
    summary: 'List the versions of a graph, newest first',
    method: 'GET',
    path: '/workflows/graphs/:name/versions',
    reach: { by: 'free' },
    list: texts('hash'),
    answer: { status: 200, schema: Type.Array(versionRecord) },
    handle: async ({ engine, page, params: { name = '' } }) => {
      const versions = await engine.graphVersions.list(name);
      if (versions.length === 0) throw noGraph(name);
      const { items, total } = pagedList(versions, page);
      return { body: items, total };
    },
  }),
  route({
    id: 'actOnGraphVersion',
    summary: 'Release a version of a graph from quarantine',
    method: 'PUT',
    path: '/workflows/graphs/:name/versions/:hash/action',
    resourceGroup: 'components',
    body: releaseBody,
    answer: { status: 202, schema: versionRecord },
    rejections: { 409: 'The version is not quarantined' },
    handle: async ({ engine, identity, params: { name = '', hash = '' } }) => ({
      status: 202,
      body: requireFound(await engine.graphVersions.release(name, hash, identity?.username), () =>
        noVersion(name, hash),
      ),
    }),
  }),
  route({
    id: 'getGraphMachine',
    summary: 'Get the machine of a graph, for drawing: states, transitions, invokes',
    method: 'GET',
    path: '/workflows/graphs/:name/machine',
    reach: { by: 'free' },
    query: versionQuery,
    answer: { status: 200, schema: machineRecord },
    handle: async ({ engine, query: { hash }, params: { name = '' } }) => ({
      status: 200,
      body: requireFound(await engine.library.machine(name, hash), () => noVersion(name, hash)),
    }),
  }),
  route({
    id: 'removeGraph',
    summary: 'Delete a graph',
    method: 'DELETE',
    path: '/workflows/graphs/:name',
    answer: { status: 204 },
    rejections: { 409: 'The graph is defined by a file' },
    handle: async ({ engine, params: { name = '' } }) =>
      removalReply(await engine.library.removeGraph(name), () => noGraph(name)),
  }),
];

const taskRoutes = [
  route({
    id: 'listTasks',
    summary: 'List tasks',
    method: 'GET',
    path: '/workflows/tasks',
    reach: { by: 'free' },
    list: taskFilters,
    answer: { status: 200, schema: Type.Array(taskView) },
    handle: async ({ engine, page }) => {
      const { items, total } = pagedList(await engine.library.tasks(), page, 'injectableName');
      return { body: items, total };
    },
  }),
  route({
    id: 'putTask',
    summary: 'Add or replace a task',
    method: 'PUT',
    path: '/workflows/tasks',
    body: taskRecord,
    bodyLimit: OPTIONS_LIMIT,
    answer: { status: 201, schema: taskView },
    rejections: { 409: 'A file defines a task with that name' },
    handle: async ({ engine, body, identity }) => {
      const task = await engine.library.putTask(body, identity?.username);
      return put(task, taskPath(task.injectableName));
    },
  }),
  route({
    id: 'getTask',
    summary: 'Get a task as it was uploaded',
    method: 'GET',
    path: '/workflows/tasks/:name',
    reach: { by: 'free' },
    answer: { status: 200, schema: taskView },
    rejections: toList,
    handle: async ({ engine, params: { name = '' } }) => {
      if (name === ALL) return { status: 302, headers: { Location: '/api/current/workflows/tasks' } };
      return { body: requireFound(await engine.library.task(name), () => noTask(name)) };
    },
  }),
  route({
    id: 'removeTask',
    summary: 'Delete a task that no graph uses',
    method: 'DELETE',
    path: '/workflows/tasks/:name',
    answer: { status: 204 },
    rejections: { 409: 'A graph uses the task, or a file defines it' },
    handle: async ({ engine, params: { name = '' } }) =>
      removalReply(await engine.library.removeTask(name), () => noTask(name)),
  }),
];

export const libraryRoutes = [...graphRoutes, ...taskRoutes];
