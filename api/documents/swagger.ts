/**
 * The interface as Swagger 2.0, for generators of clients and tests that were made for RackHD: the OpenAPI document
 * without what Swagger 2.0 cannot say. A schema that it has no words for accepts more than the daemon does.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, listIn, objectIn } from '../../engine/vocabulary/json.ts';

const CURRENT = '/api/current';
const BASE = '/api/2.0';

/** @param document OpenAPI 3.1 */
export function swagger(document: JsonObject): JsonObject {
  const { schemas, securitySchemes } = objectIn(document.components);
  const inBase = Object.entries(objectIn(document.paths)).filter(([path]) => path.startsWith(`${CURRENT}/`));
  return {
    swagger: '2.0',
    info: document.info,
    basePath: BASE,
    // The name and the description that RackHD's document has.
    tags: [{ name: BASE, description: 'RackHD 2.0 API' }],
    paths: Object.fromEntries(
      inBase.map(([path, methods]) => [path.slice(CURRENT.length), each(methods, (one) => operation(objectIn(one)))]),
    ),
    definitions: each(schemas, schema),
    securityDefinitions: securitySchemes,
  };
}

const each = (of: unknown, change: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(objectIn(of)).map(([key, value]) => [key, change(value)]));

function operation({ parameters, requestBody, responses, ...same }: JsonObject): JsonObject {
  const given = bodyOf(requestBody);
  const produces = Object.values(objectIn(responses)).flatMap((one) => Object.keys(objectIn(objectIn(one).content)));
  return {
    ...same,
    // One, because generators make an operation for each.
    tags: [BASE],
    ...(given && { consumes: [given.type] }),
    produces: [...new Set(produces)],
    parameters: [...listIn(parameters).map((one) => parameter(objectIn(one))), ...(given ? [given.parameter] : [])],
    responses: each(responses, (one) => response(objectIn(one))),
  };
}

/** Returns the body as a parameter. Of several content types the first: Swagger 2.0 cannot offer a form besides. */
function bodyOf(requestBody: unknown): { type: string; parameter: JsonObject } | undefined {
  const { content, required } = objectIn(requestBody);
  const [first] = Object.entries(objectIn(content));
  if (first === undefined) return undefined;
  const [type, media] = first;
  return { type, parameter: { name: 'body', in: 'body', required, schema: schema(objectIn(media).schema) } };
}

/** A parameter of a path or a query has a type with simple limits. */
function parameter({ style: _style, explode: _explode, schema: of, ...same }: JsonObject): JsonObject {
  const { description } = objectIn(of);
  const shape = simpleSchema(of);
  return {
    ...same,
    ...shape,
    ...(description !== undefined && { description }),
    ...(shape.type === 'array' && { collectionFormat: 'csv' }),
  };
}

function simpleSchema(of: unknown): JsonObject {
  const { type = 'string', items, description: _description, ...limits } = schema(of);
  return { ...limits, type, ...(type === 'array' && { items: simpleSchema(items) }) };
}

function response({ description, content, headers }: JsonObject): JsonObject {
  const [media] = Object.values(objectIn(content));
  return {
    description,
    ...(media !== undefined && { schema: schema(objectIn(media).schema) }),
    ...(headers !== undefined && {
      headers: each(headers, (one) => ({
        ...simpleSchema(objectIn(one).schema),
        description: objectIn(one).description,
      })),
    }),
  };
}

/** Keywords that both have, without `title`: generators make a model of each, and some have one name. */
const shared = [
  ...['description', 'format', 'default', 'enum', 'required', 'pattern', 'uniqueItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

function schema(of: unknown): JsonObject {
  const given = objectIn(of);
  if (typeof given.$ref === 'string') return { $ref: given.$ref.replace('#/components/schemas/', '#/definitions/') };
  const anyOf = withoutList(listIn(given.anyOf).map(objectIn));
  const types = [...new Set([given.type ?? anyOf.map((one) => one.type)].flat())];
  const [type, ...otherTypes] = types.filter((one) => one !== 'null');
  const [only, ...others] = anyOf.filter((one) => one.type !== 'null').map(schema);
  const { items = type === 'array' && only?.items === undefined ? {} : undefined } = given;
  return {
    ...(others.length === 0 && only),
    ...Object.fromEntries(Object.entries(given).filter(([key]) => shared.includes(key))),
    ...(type !== undefined && otherTypes.length === 0 && { type }),
    ...(types.includes('null') && { 'x-nullable': true }),
    ...(given.properties !== undefined && { properties: each(given.properties, schema) }),
    ...(items !== undefined && { items: schema(items) }),
    ...withoutPatterns(given),
  };
}

/** Swagger has no unions: of a record and a list of such records, it shows the record. */
function withoutList(anyOf: JsonObject[]): JsonObject[] {
  const [record, list] = anyOf;
  return list?.type === 'array' && isDeepStrictEqual(list.items, record) ? anyOf.slice(0, 1) : anyOf;
}

/** Keys that are not listed: the schema of their values, or whether there may be any. */
function withoutPatterns({ patternProperties, additionalProperties }: JsonObject): JsonObject {
  const [values] = Object.values(objectIn(patternProperties));
  const any = values ?? additionalProperties;
  return any === undefined ? {} : { additionalProperties: isObject(any) ? schema(any) : any };
}
