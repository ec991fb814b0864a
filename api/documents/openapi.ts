/** The OpenAPI 3.1 document, generated from the routes: it contains the same schemas that validate the requests. */
import type { TSchema } from 'typebox';
import { listIn, property } from '../../engine/vocabulary/json.ts';
import { querySchema } from '../http/list.ts';
import { pathsOf, type Route, type Upload } from '../http/route.ts';
import { errorRecord, unauthorizedRecord } from '../views/common.ts';
import { type DocumentedAccess, userAccess } from './documented-access.ts';

type Json = Record<string, unknown>;

export function openApi(routes: readonly Route[], access = userAccess): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const [path = ''] = pathsOf(route);
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation(route, access, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'nodewright',
      version: '2.0',
      description: 'Workflows for bare metal. /api/2.0 is an alias of /api/current.',
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas, securitySchemes: access.securitySchemes },
  };
}

function operation(route: Route, access: DocumentedAccess, schemas: Json): Json {
  return {
    operationId: route.id,
    summary: route.summary,
    ...access.fieldsOf(route),
    tags: [route.path.split('/')[1] ?? ''],
    ...((route.deprecated || route.base === '1.1') && { deprecated: true }),
    parameters: parameters(route),
    // A file may be empty; handlers that need a body check that themselves.
    ...(route.upload && { requestBody: { required: false, content: uploadBody(route.upload) } }),
    ...(route.body && { requestBody: { ...requiredFlag(route.body), content: json(referTo(route.body, schemas)) } }),
    responses: {
      ...rejections(route, access, schemas),
      [route.answer.status]: success(route, schemas),
      ...(route.repeat && { 200: { ...success(route, schemas), description: route.repeat } }),
    },
  };
}

/** A body with required fields is itself required. */
const requiredFlag = (body: TSchema): Json => {
  const [alternative = body] = listIn(property(body, 'anyOf'));
  return { required: listIn(property(alternative, 'required')).length > 0 };
};

function parameters(route: Route): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = querySchema(route);
  const required = (query?.required ?? []) as readonly string[];
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    // `a,b`, not `name=a&name=b`.
    ...(property(schema, 'type') === 'array' && { style: 'form', explode: false }),
    schema,
  }));
  return [...inPath, ...inQuery];
}

const bytes = { type: 'string', format: 'binary' };

function uploadBody({ types: [type = ''], form }: Upload): Json {
  const fields = { type: 'object', properties: { file: bytes }, required: ['file'] };
  return { [type]: { schema: bytes }, ...(form && { 'multipart/form-data': { schema: fields } }) };
}

const json = (schema: unknown): Json => ({ 'application/json': { schema } });

const listHeaders = {
  Link: { description: 'first, prev, next, last', schema: { type: 'string' } },
  'X-Total-Count': { description: 'number of records on all pages', schema: { type: 'integer' } },
};

function success({ answer, list }: Route, schemas: Json): Json {
  const { schema, contentType = 'application/json' } = answer;
  return {
    description: schema ? 'Success' : 'Success, without a body',
    ...(list && { headers: listHeaders }),
    ...(schema && { content: { [contentType]: { schema: referTo(schema, schemas) } } }),
  };
}

/** Error responses: derived from the route's declaration, plus those that it lists. */
function rejections(route: Route, access: DocumentedAccess, schemas: Json): Json {
  const reasons: Record<number, string | undefined> = {
    400: 'The path, the query or the body is invalid',
    ...access.rejectionsOf(route),
    ...(route.path.includes(':') && { 404: 'Not found' }),
    ...(route.body && { 413: 'The body is too long', 415: 'The body is not JSON' }),
    ...(route.upload && { 413: 'The body is too long', 415: 'The content type of the body is not supported' }),
    503: 'A store is unavailable; retry',
    ...route.rejections,
  };
  return Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => {
      if (Number(status) < 400) return [status, { description }];
      return [status, { description, content: rejectionBody(route, status, schemas) }];
    }),
  );
}

function rejectionBody({ resourceGroup, id }: Route, status: string, schemas: Json): Json {
  if (status !== '401') return json(referTo(errorRecord, schemas));
  if (id.startsWith('createSession')) return { 'text/plain': { schema: { type: 'string' } } };
  return json(
    resourceGroup === 'sessions' ? { type: 'object', maxProperties: 0 } : referTo(unauthorizedRecord, schemas),
  );
}

/** Moves a schema with a title to the components, once, and returns a reference to it. */
function referTo(schema: TSchema, schemas: Json): unknown {
  const { title, items, anyOf } = schema as { title?: string; items?: TSchema; anyOf?: readonly TSchema[] };
  if (title !== undefined) {
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }
  if (anyOf !== undefined) return { ...schema, anyOf: anyOf.map((one) => referTo(one, schemas)) };
  return items === undefined ? schema : { ...schema, items: referTo(items, schemas) };
}
