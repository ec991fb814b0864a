/**
 * Templates, profiles and files: stored by users for all nodes; rendered for a node, or sent to it unchanged. Views are
 * stored for clients of RackHD; no answer is rendered by them.
 */
import { type TObject, Type } from 'typebox';
import type { FileContent, FileKind, FileName, FileRecord, RenderedKind } from '../../engine/api-port/index.ts';
import { type ListFields, texts, times } from '../../engine/api-port/list-filter.ts';
import { nonEmpty } from '../../engine/api-port/schemas.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { image } from '../http/boot.ts';
import { contentReply } from '../http/content.ts';
import { noNode, requireFound } from '../http/rejections.ts';
import { listReply, removalReply } from '../http/replies.ts';
import { type Call, type Route, routesOf } from '../http/route.ts';
import { admittedAs } from '../http/southbound-sender.ts';
import { writeCondition } from '../http/write-condition.ts';
import { FETCH_MS } from '../middleware/static.ts';
import { fileRecord, fileView, GLOBAL, renderableRecord, renderableView } from '../views/file.ts';

const route = routesOf('library');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const scopeOf = (given: string | undefined): string | null => (given === undefined || given === GLOBAL ? null : given);

const filters: ListFields = {
  ...texts('name', 'md5', 'sha256'),
  ...times('createdAt', 'updatedAt'),
  scope: { kind: 'text', spellings: (given) => [scopeOf(given)] },
};
/** The scope of the file: the id of a SKU, or `global`. */
const scopeQuery = Type.Object({ scope: Type.Optional(nonEmpty) });
const bytes = Type.Unsafe<unknown>({ type: 'string', format: 'binary' });

interface ShownQuery {
  kind: FileKind;
  /** Capitalized kind, for ids and messages. */
  title: string;
  /** Paths of the list, of one record and of the content. */
  records: string;
  record: string;
  content: string;
  schema: TObject;
  view(file: FileRecord): unknown;
  /** Accepted content types. */
  types: readonly string[];
  limit: 'bodyLimit' | 'packLimit';
}

type RenderedQuery = ShownQuery & { kind: RenderedKind };

const text = {
  types: ['text/plain', 'text/*', 'application/octet-stream', 'application/x-www-form-urlencoded'],
  limit: 'bodyLimit',
  schema: renderableRecord,
  view: renderableView,
} as const;

const templates: RenderedQuery = { kind: 'template', title: 'Template', ...pathsUnder('/templates'), ...text };
const profiles: RenderedQuery = { kind: 'profile', title: 'Profile', ...pathsUnder('/profiles'), ...text };
const views: ShownQuery = {
  kind: 'view',
  title: 'View',
  records: '/views',
  record: '/views/:name/metadata',
  content: '/views/:name',
  ...text,
};
const files: ShownQuery = {
  kind: 'file',
  title: 'File',
  records: '/files',
  record: '/files/metadata/:name',
  content: '/files/:name',
  schema: fileRecord,
  view: fileView,
  types: ['application/octet-stream', '*/*'],
  limit: 'packLimit',
};

function pathsUnder(root: string) {
  return { records: `${root}/metadata`, record: `${root}/metadata/:name`, content: `${root}/library/:name` };
}

const FAILED_CONDITION = 'The stored file does not satisfy If-Match or If-None-Match';

const notFoundError = (title: string, name: string) => new NodewrightError('NOT_FOUND', `${title} not found: ${name}`);

type NamedCall = Pick<Call<{ scope?: string }>, 'params' | 'query'>;

const nameOf = ({ kind }: ShownQuery, { params: { name = '' }, query }: NamedCall): FileName => ({
  kind,
  name,
  scope: scopeOf(query.scope),
});

type FileCall = NamedCall & Pick<Call, 'engine'>;

/** The file of this name, else, as RackHD's clients ask for files, the one with this uuid. */
async function fileOf(shownQuery: ShownQuery, call: FileCall): Promise<FileName> {
  const { engine } = call;
  const file = nameOf(shownQuery, call);
  if (shownQuery.kind !== 'file' || !UUID.test(file.name) || (await engine.files.get(file)) !== undefined) return file;
  return (await engine.files.nameOfContent('file', file.name)) ?? file;
}

async function recordOf(shownQuery: ShownQuery, call: FileCall): Promise<FileRecord> {
  const file = await fileOf(shownQuery, call);
  return requireFound(await call.engine.files.get(file), () => notFoundError(shownQuery.title, file.name));
}

async function contentOf(shownQuery: ShownQuery, call: FileCall): Promise<FileContent> {
  const file = await fileOf(shownQuery, call);
  return requireFound(await call.engine.files.content(file), () => notFoundError(shownQuery.title, file.name));
}

/** Also served to nodes, which need no token. */
const contentRoute = (shownQuery: ShownQuery): Route => {
  const { kind, title, content } = shownQuery;
  return route({
    id: `get${title}Content`,
    summary: `Download a ${kind} (supports Range requests)`,
    method: 'GET',
    path: content,
    query: scopeQuery,
    // Southbound this route serves only files, which profiles refer to by URL.
    keyless: true,
    waitMs: FETCH_MS,
    answer: { status: 200, schema: bytes, contentType: 'application/octet-stream' },
    rejections: { 206: 'The requested range', 304: 'Not modified', 416: 'The range cannot be satisfied' },
    handle: async (call) => {
      call.waits();
      const one = await contentOf(shownQuery, call);
      // A user who manages files wants their bytes; only nodes get the media type.
      return contentReply(one, call.header, 'application/octet-stream');
    },
  });
};

const recordRoute = (shownQuery: ShownQuery, id: string, path: string): Route =>
  route({
    id,
    summary: `Get the size and checksums of a ${shownQuery.kind}`,
    method: 'GET',
    path,
    query: scopeQuery,
    answer: { status: 200, schema: shownQuery.schema },
    handle: async (call) => ({ body: shownQuery.view(await recordOf(shownQuery, call)) }),
  });

function routesOfKind(shownQuery: ShownQuery): Route[] {
  const { kind, title, records, content, record, schema, view, types, limit } = shownQuery;
  return [
    route({
      id: `list${title}s`,
      summary: `List ${kind}s by name`,
      method: 'GET',
      path: records,
      list: filters,
      answer: { status: 200, schema: Type.Array(schema) },
      handle: async ({ engine, page }) => listReply(await engine.files.list(kind, page), view),
    }),
    recordRoute(shownQuery, `get${title}`, record),
    contentRoute(shownQuery),
    route({
      id: `put${title}`,
      summary: `Add or replace a ${kind}`,
      method: 'PUT',
      path: content,
      query: scopeQuery,
      upload: { types, limit },
      answer: { status: 201, schema },
      rejections: { 412: FAILED_CONDITION },
      handle: async (call) => {
        const file = nameOf(shownQuery, call);
        const one = await call.engine.files.put(file, call.upload(), writeCondition(call.header));
        const query = file.scope === null ? '' : `?scope=${encodeURIComponent(file.scope)}`;
        const Location = `/api/2.0${record.replace(':name', encodeURIComponent(file.name))}${query}`;
        return { status: 201, body: view(one), headers: { Location } };
      },
    }),
    route({
      id: `remove${title}`,
      summary: `Delete a ${kind}`,
      method: 'DELETE',
      path: content,
      query: scopeQuery,
      answer: { status: 204 },
      rejections: { 409: 'It is in the pack of the SKU', 412: FAILED_CONDITION },
      handle: async (call) => {
        const file = await fileOf(shownQuery, call);
        const removed = await call.engine.files.remove(file, writeCondition(call.header));
        return removalReply(removed, () => notFoundError(title, file.name));
      },
    }),
  ];
}

const checksumRoute = (sum: 'md5' | 'sha256', contentType: string, format: (text: string) => string): Route =>
  route({
    id: `getFile${sum === 'md5' ? 'Md5' : 'Sha256'}`,
    summary: `Get the hexadecimal ${sum} of a file`,
    method: 'GET',
    path: `/files/:name/${sum}`,
    query: scopeQuery,
    keyless: true,
    answer: { status: 200, schema: Type.String(), contentType },
    handle: async (call) => ({
      status: 200,
      body: format((await recordOf(files, call))[sum]),
      headers: { 'Content-Type': `${contentType}; charset=utf-8` },
    }),
  });

const checksumRoutes = [
  // Scripts of RackHD compare this answer with its quotes.
  checksumRoute('md5', 'application/json', JSON.stringify),
  checksumRoute('sha256', 'text/plain', (text) => text),
];

const staticRoute = route({
  id: 'listStaticFiles',
  summary: 'List the names of the files that nodes fetch from the root of the southbound endpoint',
  method: 'GET',
  path: '/files/static/list',
  resourceGroup: 'library',
  list: filters,
  answer: { status: 200, schema: Type.Array(Type.String()) },
  handle: async ({ engine, page }) => {
    const { items, total } = await engine.files.list('file', page);
    return { status: 200, body: [...new Set(items.map(({ name }) => name))], total };
  },
});

export const fileRoutes = [
  ...routesOfKind(templates),
  ...routesOfKind(profiles),
  ...routesOfKind(views),
  ...routesOfKind(files),
  ...checksumRoutes,
  recordRoute(files, 'getFileMetadata', '/files/:name/metadata'),
  staticRoute,
];

const nodeQuery = Type.Object({
  nodeId: Type.Optional(Type.String({ minLength: 1 })),
  macs: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "A MAC of the node, as scripts of RackHD's Windows PE send it.",
    }),
  ),
});

const renderRoute = ({ kind, title }: RenderedQuery): Route =>
  route({
    id: `render${title}`,
    summary: `Render a ${kind} for a node, from its SKU's pack or the library`,
    method: 'GET',
    path: `/${kind}s/:name`,
    query: nodeQuery,
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    handle: async (call) => {
      const { engine, origin, sender, query, params } = call;
      const named = query.nodeId ?? query.macs;
      const { name = '' } = params;
      const node = named === undefined ? null : requireFound(await engine.nodes.idOf(named), () => noNode(named));
      if (node !== null) await admittedAs(call, node);
      const boot = kind === 'profile' && node !== null ? await engine.agents.boot(node) : undefined;
      const nodeKey = sender?.key?.value ?? '';
      const rendering = engine.files[kind](name, node, { nodeKey, ...(kind === 'profile' && image(boot, origin)) });
      const body = requireFound(await rendering, () => notFoundError(title, name));
      // Otherwise koa would declare a text that begins with a tag as HTML.
      return { body, headers: { 'Content-Type': 'text/plain; charset=utf-8' } };
    },
  });

export const nodeFileRoutes = [renderRoute(templates), renderRoute(profiles), contentRoute(files), ...checksumRoutes];
