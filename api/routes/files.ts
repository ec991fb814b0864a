/** Templates, profiles and files: stored by users for all nodes; rendered for a node, or sent to it unchanged. */
import { Type } from 'typebox';
import type { FileKind, FileName, FileRecord } from '../../engine/api-port/index.ts';
import { NodewrightError } from '../../engine/define/errors.ts';
import { image } from '../boot.ts';
import { contentReply } from '../content.ts';
import { type ListFields, texts, times } from '../list-filter.ts';
import { FETCH_MS } from '../middleware/static.ts';
import { noNode, required } from '../rejections.ts';
import { type Call, type Route, route } from '../route.ts';
import { admitted } from '../southbound-sender.ts';
import { nonEmpty } from '../views/common.ts';
import { fileRecord, fileView, GLOBAL } from '../views/file.ts';

const scopeOf = (given: string | undefined): string | null => (given === undefined || given === GLOBAL ? null : given);

const filters: ListFields = {
  ...texts('name', 'md5', 'sha256'),
  ...times('createdAt', 'updatedAt'),
  scope: { kind: 'text', spellings: (given) => [scopeOf(given)] },
};
/** The scope of the file: the id of a SKU, or `global`. */
const scopeQuery = Type.Object({ scope: Type.Optional(nonEmpty) });
const bytes = Type.Unsafe<unknown>({ type: 'string', format: 'binary' });

interface Shown {
  kind: FileKind;
  /** Capitalized kind, for ids and messages. */
  title: string;
  /** Paths of the list, of one record and of the content. */
  records: string;
  record: string;
  content: string;
  /** Accepted content types. */
  types: readonly string[];
  limit: 'bodyLimit' | 'packLimit';
}

type Rendered = Shown & { kind: 'template' | 'profile' };

const text = {
  types: ['text/plain', 'text/*', 'application/octet-stream', 'application/x-www-form-urlencoded'],
  limit: 'bodyLimit',
} as const;

const templates: Rendered = { kind: 'template', title: 'Template', ...pathsUnder('/templates'), ...text };
const profiles: Rendered = { kind: 'profile', title: 'Profile', ...pathsUnder('/profiles'), ...text };
const files: Shown = {
  kind: 'file',
  title: 'File',
  records: '/files',
  record: '/files/metadata/:name',
  content: '/files/:name',
  types: ['application/octet-stream', '*/*'],
  limit: 'packLimit',
};

function pathsUnder(root: string) {
  return { records: `${root}/metadata`, record: `${root}/metadata/:name`, content: `${root}/library/:name` };
}

const missing = (title: string, name: string) => new NodewrightError('NOT_FOUND', `${title} not found: ${name}`);

type Named = Pick<Call<{ scope?: string }>, 'params' | 'query'>;

const nameOf = ({ kind }: Shown, { params: { name = '' }, query }: Named): FileName => ({
  kind,
  name,
  scope: scopeOf(query.scope),
});

async function recordOf(shown: Shown, call: Named & Pick<Call, 'engine'>): Promise<FileRecord> {
  const file = nameOf(shown, call);
  return required(await call.engine.files.get(file), () => missing(shown.title, file.name));
}

/** Also served to nodes, which need no token. */
const contentRoute = (shown: Shown): Route => {
  const { kind, title, content } = shown;
  return route({
    id: `get${title}Content`,
    summary: `Download a ${kind} (supports Range requests)`,
    method: 'GET',
    path: content,
    resourceGroup: 'library',
    query: scopeQuery,
    // Southbound this route serves only files, which profiles refer to by URL.
    keyless: true,
    waitMs: FETCH_MS,
    answer: { status: 200, schema: bytes, contentType: 'application/octet-stream' },
    rejections: { 206: 'The requested range', 304: 'Not modified', 416: 'The range cannot be satisfied' },
    handle: async (call) => {
      const file = nameOf(shown, call);
      const one = required(await call.engine.files.content(file), () => missing(title, file.name));
      // A user who manages files wants their bytes; only nodes get the media type.
      return contentReply(one, call.header, 'application/octet-stream');
    },
  });
};

function routesOf(shown: Shown): Route[] {
  const { kind, title, records, record, content, types, limit } = shown;
  return [
    route({
      id: `list${title}s`,
      summary: `List ${kind}s by name`,
      method: 'GET',
      path: records,
      resourceGroup: 'library',
      list: filters,
      answer: { status: 200, schema: Type.Array(fileRecord) },
      handle: async ({ engine, page }) => {
        const { items, total } = await engine.files.list(kind, page);
        return { status: 200, body: items.map(fileView), total };
      },
    }),
    route({
      id: `get${title}`,
      summary: `Get the size and checksums of a ${kind}`,
      method: 'GET',
      path: record,
      resourceGroup: 'library',
      query: scopeQuery,
      answer: { status: 200, schema: fileRecord },
      handle: async (call) => ({ status: 200, body: fileView(await recordOf(shown, call)) }),
    }),
    contentRoute(shown),
    route({
      id: `put${title}`,
      summary: `Add or replace a ${kind}`,
      method: 'PUT',
      path: content,
      resourceGroup: 'library',
      query: scopeQuery,
      upload: { types, limit },
      answer: { status: 201, schema: fileRecord },
      handle: async (call) => {
        const file = nameOf(shown, call);
        const one = await call.engine.files.put(file, call.upload());
        const query = file.scope === null ? '' : `?scope=${encodeURIComponent(file.scope)}`;
        const Location = `/api/2.0${record.replace(':name', encodeURIComponent(file.name))}${query}`;
        return { status: 201, body: fileView(one), headers: { Location } };
      },
    }),
    route({
      id: `remove${title}`,
      summary: `Delete a ${kind}`,
      method: 'DELETE',
      path: content,
      resourceGroup: 'library',
      query: scopeQuery,
      answer: { status: 204 },
      handle: async (call) => {
        const file = nameOf(shown, call);
        if (!(await call.engine.files.remove(file))) throw missing(title, file.name);
        return { status: 204 };
      },
    }),
  ];
}

const checksumRoute = (sum: 'md5' | 'sha256'): Route =>
  route({
    id: `getFile${sum === 'md5' ? 'Md5' : 'Sha256'}`,
    summary: `Get the hexadecimal ${sum} of a file`,
    method: 'GET',
    path: `/files/:name/${sum}`,
    resourceGroup: 'library',
    query: scopeQuery,
    keyless: true,
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    handle: async (call) => ({ status: 200, body: (await recordOf(files, call))[sum] }),
  });

const checksumRoutes = [checksumRoute('md5'), checksumRoute('sha256')];

export const fileRoutes = [...routesOf(templates), ...routesOf(profiles), ...routesOf(files), ...checksumRoutes];

const nodeQuery = Type.Object({ nodeId: Type.Optional(Type.String({ minLength: 1 })) });

const renderRoute = ({ kind, title }: Rendered): Route =>
  route({
    id: `render${title}`,
    summary: `Render a ${kind} for a node, from its SKU's pack or the library`,
    method: 'GET',
    path: `/${kind}s/:name`,
    resourceGroup: 'library',
    query: nodeQuery,
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    handle: async (call) => {
      const { engine, origin, sender, query, params } = call;
      const { nodeId } = query;
      const { name = '' } = params;
      const node = nodeId === undefined ? null : required(await engine.nodes.idOf(nodeId), () => noNode(nodeId));
      if (node !== null) await admitted(call, node);
      const boot = node === null ? undefined : await engine.agents.boot(node);
      const nodeKey = sender?.key?.value ?? '';
      const more = kind === 'profile' ? image(boot, origin) : boot?.values;
      const made = engine.files[kind](name, node, { nodeKey, ...more });
      const body = required(await made, () => missing(title, name));
      // Otherwise koa would declare a text that begins with a tag as HTML.
      return { status: 200, body, headers: { 'Content-Type': 'text/plain; charset=utf-8' } };
    },
  });

export const nodeFileRoutes = [renderRoute(templates), renderRoute(profiles), contentRoute(files), ...checksumRoutes];
