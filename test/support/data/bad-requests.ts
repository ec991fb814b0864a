/** Bad requests to an operation, derived from its description and from a good one. */
import type { Request } from '../servers/api.ts';
import type { Step } from './example-step.ts';

type Json = Record<string, unknown>;

interface Schema {
  $ref?: string;
  type?: string | string[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** An operation of an OpenAPI document. */
export interface Operation {
  method: string;
  /** As in the document: `/users/{name}`. */
  template: string;
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface BadRequest extends Request {
  /** The defect. */
  name: string;
  method: string;
  path: string;
}

export function operationsOf(document: Json): Operation[] {
  const paths = document.paths as Record<string, Record<string, Omit<Operation, 'method' | 'template'>>>;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, ...operation })),
  );
}

/** @param step a good request @param reader a token that permits to read @param document of the operation */
export function badRequests(operation: Operation, step: Step, reader: string, document: Json): BadRequest[] {
  return [
    ...badCredentials(operation, step, reader),
    ...badMethods(operation, step, document),
    ...badPaths(operation, step),
    ...badQueries(operation, step),
    ...badContents(operation, step),
    ...badBodies(operation, step, document),
  ];
}

function badCredentials({ security }: Operation, step: Step, reader: string): BadRequest[] {
  if (security.length === 0) return [];
  const { token, headers, ...open } = step;
  return [
    { ...open, name: 'no token' },
    { ...open, name: 'a false token', token: 'a.b.c' },
    { ...open, name: 'a false session', headers: { ...headers, 'x-auth-token': 'none' } },
    { ...step, name: "a reader's token", ...(token !== undefined && { token: reader }) },
  ];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function badMethods({ template }: Operation, { path, token }: Step, document: Json): BadRequest[] {
  const taken = Object.keys((document.paths as Record<string, object>)[template] ?? {});
  const method = METHODS.find((one) => !taken.includes(one.toLowerCase())) ?? 'TRACE';
  return [{ name: 'another method', method, path, ...(token !== undefined && { token }) }];
}

const badTexts = {
  'nothing is named so': 'no-such-thing',
  'a NUL': '%00',
  'bad encoding': '%ff',
  'dots and slashes': '..%2f..%2fx',
  'a long name': 'x'.repeat(1_000),
};

function badPaths({ template }: Operation, step: Step): BadRequest[] {
  const [path = '', query] = step.path.split('?');
  const parts = path.split('/');
  const places = template.split('/').flatMap((part, at) => (part.startsWith('{') ? [{ part, at }] : []));
  return places.flatMap(({ part, at }) =>
    Object.entries(badTexts).map(([name, text]) => ({
      ...step,
      name: `${part}: ${name}`,
      path: `${parts.with(at, text).join('/')}${query === undefined ? '' : `?${query}`}`,
    })),
  );
}

function badQueries({ parameters }: Operation, step: Step): BadRequest[] {
  const [path = '', given = ''] = step.path.split('?');
  const to = (query: string) => {
    const [name] = query.split('=');
    const rest = given.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`));
    return `${path}?${[...rest, query].join('&')}`;
  };
  const named = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const queries = [
    ...['nonsense=1', '__proto__=1', 'nonsense=%ff', 'nonsense=%00'],
    ...named.map((name) => `${name}=`),
    // Those with a dot, such as `createdAt.gte`, are derived from others.
    ...named.filter((name) => !name.includes('.')).map((name) => `${name}=-1`),
    ...named.slice(0, 1).map((name) => `${name}=a&${name}=b`),
  ];
  return queries.map((query) => ({ ...step, name: `?${query}`, path: to(query) }));
}

const DEPTH = 70;
const deep = (): unknown => JSON.parse(`${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`);

function badContents({ requestBody }: Operation, step: Step): BadRequest[] {
  const { body = {}, ...rest } = step;
  const as = (type: string) => ({ ...step.headers, 'content-type': type });
  const unread: BadRequest = { ...rest, name: 'an unexpected body', body: { nonsense: 1 } };
  if (requestBody === undefined) return step.method === 'GET' ? [] : [unread];
  const text = JSON.stringify(body);
  return [
    { ...rest, name: 'no body', raw: '' },
    { ...rest, name: 'broken JSON', raw: '{ "a": ' },
    { ...rest, name: 'bytes that are no UTF-8', raw: Buffer.from('{ "a": "\xff" }', 'latin1') },
    { ...rest, name: 'text', raw: text, headers: as('text/plain') },
    { ...rest, name: 'a form', raw: 'a=1', headers: as('application/x-www-form-urlencoded') },
    { ...rest, name: 'an image', raw: text, headers: as('image/png') },
    { ...rest, name: 'another charset', raw: text, headers: as('application/json; charset=utf-16') },
    { ...rest, name: 'not compressed', raw: text, headers: { ...as('application/json'), 'content-encoding': 'gzip' } },
  ];
}

function badBodies({ requestBody }: Operation, step: Step, document: Json): BadRequest[] {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return [];
  const body = (step.body ?? {}) as Json;
  const { properties = {}, required = [] } = resolved(schema, document);
  const fields = Object.entries(properties).flatMap(([key, inner]) =>
    Object.entries(badValues(resolved(inner, document), isCredential(key))).map(([name, value]) => ({
      name: `${key}: ${name}`,
      body: { ...body, [key]: value },
    })),
  );
  const missing = required.map((key) => {
    const { [key]: _, ...rest } = body;
    return { name: `${key}: missing`, body: rest };
  });
  const whole = [
    { name: 'null', body: null },
    { name: 'a list', body: [body] },
    { name: 'a number', body: 5 },
    { name: 'an empty object', body: {} },
    { name: 'nonsense: 1', body: { ...body, nonsense: 1 } },
    { name: 'nonsense: deep', body: { ...body, nonsense: deep() } },
    { name: 'nonsense: a NUL', body: { ...body, nonsense: '\0' } },
  ];
  return [...whole, ...missing, ...fields].map((one) => ({ ...step, ...one }));
}

const LONG = 10_000;

/** A wrong one is not sent: ten in a minute would block the sender. */
const isCredential = (key: string) => /^(username|password)$/i.test(key);

/** By their defects. */
function badValues({ type }: Schema, isCredential: boolean): Record<string, unknown> {
  const takes = (name: string) => type === undefined || type === name || (Array.isArray(type) && type.includes(name));
  return {
    null: null,
    ...(takes('string') ? { 'a number': 5 } : { 'a text': 'x' }),
    ...(takes('string') && !isCredential && { empty: '', long: 'x'.repeat(LONG) }),
    ...((takes('number') || takes('integer')) && { negative: -1, large: 1e300 }),
    ...(takes('array') && { 'with null': [null], 'too many': Array(LONG).fill('y') }),
    ...(takes('object') && { 'with nonsense': { nonsense: 1 }, deep: deep() }),
  };
}

function resolved(schema: Schema, document: Json): Schema {
  if (schema.anyOf?.[1]?.type === 'array') return resolved(schema.anyOf[0] as Schema, document);
  if (schema.$ref === undefined) return schema;
  const keys = schema.$ref.slice('#/'.length).split('/');
  return keys.reduce<unknown>((found, key) => (found as Json)[key], document) as Schema;
}
