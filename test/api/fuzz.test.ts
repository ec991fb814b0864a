/** Any request to any operation of the document is answered in time, as documented, and never with 500. */
import test from 'ava';
import fc, { type Arbitrary } from 'fast-check';
import { codePoint } from '../support/data/code-point.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, type Send, serve, southbound } from '../support/servers/api.ts';

type Json = Record<string, unknown>;

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  then?: Schema;
  else?: Schema;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}

interface Sent {
  path: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

const RUNS = 8;
const ANSWER_MS = 10_000;
/** Requests that would delete the test's own user, or wait for a body that never ends. */
const spared = ['removeUser', 'changeUser'];

const text = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'null',
    '../..',
    '%00',
    '\0',
    '$where',
    '__proto__',
    'a.b',
    '*',
    '💾',
    'Graph.noop-example',
  ),
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.uuid(),
);

/** Mostly values of the schema, and now and then any value. */
function fitting(schema: Schema, document: Json): Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: asked(schema, document) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );
}

function asked(schema: Schema, document: Json): Arbitrary<unknown> {
  const inner = (one: Schema) => fitting(one, document);
  if (schema.$ref !== undefined) return asked(referred(schema.$ref, document), document);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.then !== undefined && schema.else !== undefined) {
    const { then, else: other, ...common } = schema;
    const properties = (branch: Schema) => ({ ...common, properties: { ...common.properties, ...branch.properties } });
    return fc.oneof(asked(properties(then), document), asked(properties(other), document));
  }
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => asked(one, document)));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([key, one]) => [key, inner(one)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
    }
    case 'array':
      return fc.array(inner(schema.items ?? {}), { maxLength: 4 });
    case 'integer':
      return fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 1_000));
    case 'number':
      return fc.double({ noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return text;
  }
}

/** As in a query: lists with commas between. */
function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const referred = (ref: string, document: Json): Schema =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((found, key) => (found as Json)[key], document) as Schema;

function sent({ parameters, requestBody }: Operation, document: Json): Arbitrary<Sent> {
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const texts = (place: string) =>
    fc.record(
      Object.fromEntries(named(place).map(({ name, schema }) => [name, asked(schema, document).map(written)])),
      {
        requiredKeys: place === 'path' ? named(place).map(({ name }) => name) : [],
      },
    ) as Arbitrary<Record<string, string>>;
  const body = requestBody?.content['application/json']?.schema;
  return fc.record({
    path: texts('path'),
    query: texts('query'),
    body: body === undefined ? fc.constant(undefined) : fitting(body, document),
  });
}

let it: TestEngine;

test.before(async () => {
  it = await openEngine({ heartbeatIntervalSec: 0 });
});
test.after.always(() => it?.close());

for (const endpoint of [northbound, southbound]) {
  test.serial(`no request to the ${endpoint.routers} ends with 500 or hangs`, async (t) => {
    const { send, as, session } = await serve(t, endpoint, it.engine);
    const token = await as('Administrator', 'fuzzer');
    const headers = { 'x-auth-token': await session('Administrator', 'fuzzer') };
    const document = (await send('GET', '/api/2.0/openapi.json', { token })).body as Json;
    const paths = document.paths as Record<string, Record<string, Operation>>;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (spared.includes(operation.operationId)) continue;
        await fc.assert(
          fc.asyncProperty(sent(operation, document), (one) =>
            attempt(send, { token, headers }, method, path, one, operation),
          ),
          { numRuns: RUNS },
        );
        t.pass();
      }
    }
    t.is((await send('GET', '/readyz')).status, 200);
  });
}

async function attempt(
  send: Send,
  { token, headers }: { token: string; headers: Record<string, string> },
  method: string,
  template: string,
  { path, query, body }: Sent,
  { operationId, responses }: Operation,
): Promise<void> {
  const place = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] || 'x'));
  const search = new URLSearchParams(query).toString();
  const from = performance.now();
  const request = { token, headers, ...(body !== undefined && { body }) };
  const { status } = await send(method.toUpperCase(), `${place}${search === '' ? '' : `?${search}`}`, request);
  const told = `${operationId} ${place}?${search} ${JSON.stringify(body)}: ${status}`;
  if (performance.now() - from > ANSWER_MS) throw new Error(`took too long: ${told}`);
  // A path whose parameter contains a slash or dots may be another path.
  if (status >= 500 || !(String(status) in responses || [404, 405].includes(status))) throw new Error(told);
}
